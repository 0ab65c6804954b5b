/// All keys by what tokens call them.
struct VerificationKeys: Sendable {
    /// By `kid`; `nil` is the key of tokens that name none.
    private var keys: [String?: VerificationKey] = [:]
    /// How many of them are of the file.
    private(set) var fileKeyCount = 0
    /// Which keys of the file are left out, and why: one sentence each.
    private(set) var notes: [String] = []

    subscript(keyID: String?) -> VerificationKey? { keys[keyID] }

    /// The keys of `configuration`: the secret, and those of the file.
    static func read(_ configuration: TokenConfiguration) async throws(TokenConfigurationError) -> VerificationKeys {
        guard configuration.secret != nil || configuration.jwksFile != nil else { throw .noKey }
        var result = VerificationKeys()
        if let secret = configuration.secret {
            let bytes = try TokenSecret.bytes(secret)
            guard let key = try? await VerificationKey(secret: bytes) else {
                preconditionFailure("JWTKit takes every secret of 32 bytes.")
            }
            result.keys.updateValue(key, forKey: nil)
        }
        if let path = configuration.jwksFile { try await result.add(KeyFile(path)) }
        return result
    }

    private mutating func add(_ file: KeyFile) async throws(TokenConfigurationError) {
        let hasSecret = keys[nil] != nil
        for entry in file.entries {
            let key: VerificationKey
            do throws(KeyProblem) {
                key = try await entry.key()
            } catch {
                notes.append("\(entry.name): \(error.description)")
                continue
            }
            guard keys[entry.keyID] == nil else {
                if entry.keyID == nil, hasSecret { throw .unnamedKey(file.path) }
                throw .keyFile(file.path, "\(entry.name) is in the file twice; give each key a \"kid\" of its own.")
            }
            keys.updateValue(key, forKey: entry.keyID)
            fileKeyCount += 1
        }
        guard fileKeyCount > 0 else { throw .keyFile(file.path, Self.noUsableKey(notes)) }
    }

    private static func noUsableKey(_ notes: [String]) -> String {
        let found = notes.isEmpty ? "the file has no keys" : notes.joined(separator: "; ")
        return
            "no key can be used (\(found)); give RSA keys of at least 2048 bits (RS256), EC keys on P-256 (ES256) or "
            + "secrets of at least 32 bytes (HS256)."
    }
}
