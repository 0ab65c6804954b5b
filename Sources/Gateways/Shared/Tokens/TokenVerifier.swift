import NIOCore
import Runtime
import Signatures
import Support
import Synchronization

/// Verifier of clients' tokens (JWT, RFC 7519).
///
/// A token is verified only with the key of its `kid`; without `kid`, only with the secret or the key of the file that
/// has no `kid`. The algorithm of a key is fixed when the key is read; a token with another algorithm is rejected.
final class TokenVerifier: Sendable {
    static let maximumByteCount = 8192

    private struct State {
        var keys: VerificationKeys
        /// Version of the file of these keys, or of the last attempt to read it; `nil` if it must be read again.
        var version: FileVersion?
    }

    private let configuration: TokenConfiguration
    private let state: Mutex<State>
    private let generation = Atomic(0)

    /// Reads all keys.
    /// - Throws: an error if the secret or the file is invalid, or if there is no key.
    init(_ configuration: TokenConfiguration) throws(TokenConfigurationError) {
        self.configuration = configuration
        let version = configuration.jwksFile.map(FileVersion.init)
        let keys = try VerificationKeys.read(configuration)
        state = Mutex(State(keys: keys, version: version))
    }

    /// Ignored keys of the file with the reason, for the log.
    var ignoredKeys: [String] { state.withLock { $0.keys.ignoredKeys } }

    /// Verifies the signature, times, issuer and audience of a token, passed without `Bearer`.
    ///
    /// Asynchronous, so that signatures are computed off the caller's event loop.
    func verify(
        _ token: String, now: Timestamp = Timestamp(milliseconds: WallClock.milliseconds())
    ) async throws(TokenRejection) -> TokenClaims {
        guard !token.isEmpty else { throw .missing }
        guard token.utf8.count <= Self.maximumByteCount else { throw .invalid(reason: .tooLong) }
        guard let parts = TokenParts(token) else { throw .invalid(reason: .format) }
        let header = try TokenHeader(parts.header)
        guard let algorithm = SignatureAlgorithm(rawValue: header.algorithm) else { throw .invalid(reason: .algorithm) }
        guard let key = state.withLock({ $0.keys[header.keyID] }) else { throw .invalid(reason: .unknownKey) }
        guard key.algorithm == algorithm else { throw .invalid(reason: .otherAlgorithm) }
        guard key.key.isSignature(parts.signature, of: parts.signed) else { throw .invalid(reason: .signature) }
        var claims = try TokenPayload(parts.payload).claims(configuration, now: now)
        claims.key = TokenKey(name: header.keyID, material: key.material)
        return claims
    }

    /// Generation of the keys; while it does not change, every key in use stays in use.
    var keyGeneration: Int { generation.load(ordering: .acquiring) }

    func isInUse(_ key: TokenKey) -> Bool { state.withLock { $0.keys[key.name]?.material == key.material } }

    func reloadIfChanged() -> TokenKeyReload {
        guard let file = configuration.jwksFile else { return .unchanged }
        let version = FileVersion(file)
        guard state.withLock({ $0.version != version }) else { return .unchanged }
        return reload()
    }

    /// Reloads the key file; an invalid file leaves the keys unchanged.
    func reload() -> TokenKeyReload {
        guard let file = configuration.jwksFile else { return .unchanged }
        let before = FileVersion(file)
        // The file is read again if it changed while it was read.
        defer {
            let version = FileVersion(file) == before ? before : nil
            state.withLock { $0.version = version }
        }
        do throws(TokenConfigurationError) {
            let keys = try VerificationKeys.read(configuration)
            state.withLock { $0.keys = keys }
            generation.add(1, ordering: .acquiringAndReleasing)
            return .reloaded(keyCount: keys.fileKeyCount, ignoredKeys: keys.ignoredKeys)
        } catch {
            return .failed(problem: error.description)
        }
    }
}

extension TokenVerifier: TokenVerifying {
    func verify(
        _ token: String, on loop: any EventLoop,
        _ answer: @escaping @Sendable (Result<TokenClaims, TokenRejection>) -> Void
    ) {
        Task {
            let result: Result<TokenClaims, TokenRejection>
            do throws(TokenRejection) { result = .success(try await verify(token)) } catch { result = .failure(error) }
            loop.execute { answer(result) }
        }
    }
}

enum TokenKeyReload: Sendable, Hashable {
    /// The file has not changed since it was loaded or rejected.
    case unchanged
    /// The new keys are in use and removed ones are not; `ignoredKeys` are unusable keys with the reason.
    case reloaded(keyCount: Int, ignoredKeys: [String])
    /// The file is invalid and the previous keys stay; `problem` is one line with the fix.
    case failed(problem: String)
}

/// Settings of token verification.
struct TokenConfiguration: Sendable {
    /// HS256 secret for tokens without `kid`, at least 32 bytes.
    var secret: Secret?
    /// Path of a JSON Web Key Set (RFC 7517).
    var jwksFile: String?
    /// Required `iss`; `nil` accepts any.
    var issuer: String?
    /// Required `aud`; `nil` accepts any.
    var audience: String?
    /// Allowed clock difference between the issuer and this machine, in seconds.
    var leewaySeconds = 30
}

extension TokenConfiguration {
    init(_ settings: TokenSettings) {
        self.init(
            secret: settings.secret, jwksFile: settings.jwksFile, issuer: settings.issuer, audience: settings.audience)
    }
}
