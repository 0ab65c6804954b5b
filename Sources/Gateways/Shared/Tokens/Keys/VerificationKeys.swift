import Signatures

/// All verification keys by `kid`.
struct VerificationKeys: Sendable {
    /// Keys by `kid`; `nil` stands for tokens without `kid`.
    private var keys: [String?: VerificationKey] = [:]
    /// Number of usable keys from the file.
    private(set) var fileKeyCount = 0
    /// Ignored keys of the file with the reason.
    private(set) var ignoredKeys: [String] = []

    subscript(keyID: String?) -> VerificationKey? { keys[keyID] }

    /// Reads the secret and the key file of `configuration`; at least one must be set.
    static func read(_ configuration: TokenConfiguration) throws(TokenConfigurationError) -> VerificationKeys {
        guard configuration.secret != nil || configuration.jwksFile != nil else { throw .noKey }
        var result = VerificationKeys()
        if let secret = configuration.secret {
            let bytes = try TokenSecret.bytes(secret)
            result.keys.updateValue(VerificationKey(SignatureKey(secret: bytes), bytes), forKey: nil)
        }
        if let path = configuration.jwksFile { try result.add(KeyFile(path)) }
        return result
    }

    private mutating func add(_ file: KeyFile) throws(TokenConfigurationError) {
        let hasSecret = keys[nil] != nil
        for entry in file.entries {
            let key: VerificationKey
            do throws(KeyProblem) {
                key = try entry.key()
            } catch {
                ignoredKeys.append("\(entry.name): \(error.description)")
                continue
            }
            guard keys[entry.keyID] == nil else {
                if entry.keyID == nil, hasSecret { throw .unnamedKey(file.path) }
                throw .keyFile(file.path, "\(entry.name) is in the file twice; give each key a unique \"kid\".")
            }
            keys.updateValue(key, forKey: entry.keyID)
            fileKeyCount += 1
        }
        guard fileKeyCount > 0 else { throw .keyFile(file.path, Self.noUsableKey(ignoredKeys)) }
    }

    private static func noUsableKey(_ ignoredKeys: [String]) -> String {
        let cause = ignoredKeys.isEmpty ? "the file has no keys" : ignoredKeys.joined(separator: "; ")
        return
            "no key can be used (\(cause)); give RSA keys of at least 2048 bits (RS256), EC keys on P-256 (ES256) or "
            + "secrets of at least 32 bytes (HS256)."
    }
}
