import Support
import Synchronization

/// Checks tokens (JWT, RFC 7519) of clients.
///
/// A token is checked with the key that its `kid` names, and with no other; one without `kid` with the secret, or with
/// the key of the file that has no `kid` itself. Each key has one algorithm, which is set when the key is read, and a
/// token that names another one is refused.
package final class TokenVerifier: Sendable {
    /// The longest token that is looked at.
    package static let maximumByteCount = 8192
    /// How often the file of keys is looked at, at most.
    package static let checkIntervalMilliseconds: Int64 = 5000

    private struct State {
        var keys: VerificationKeys
        /// The file of these keys, or of the last attempt to read them; `nil` when it has to be read again.
        var stamp: FileStamp?
        var problem: String?
        var checkedAt: Timestamp?
    }

    private let configuration: TokenConfiguration
    private let state: Mutex<State>
    private let generation = Atomic(0)

    /// Reads all keys.
    /// - Throws: what is wrong with the secret or the file, or that there is no key at all.
    package init(_ configuration: TokenConfiguration) async throws(TokenConfigurationError) {
        self.configuration = configuration
        let stamp = configuration.jwksFile.map(FileStamp.init)
        let keys = try await VerificationKeys.read(configuration)
        state = Mutex(State(keys: keys, stamp: stamp))
    }

    /// What should be said of the keys of the file in the log: which of them are not used, and why.
    package var keyNotes: [String] { state.withLock { $0.keys.notes } }

    /// Why the file of keys, as it is now, cannot be used; `nil` where it is in use.
    package var keyFileProblem: String? { state.withLock { $0.problem } }

    /// Checks signature, times, issuer and audience.
    ///
    /// It is asynchronous so that a signature is computed outside of the caller's event loop.
    /// - Parameters:
    ///   - token: as it came, without `Bearer`.
    ///   - now: the time to compare `exp` and `nbf` with.
    /// - Returns: what the token says.
    /// - Throws: why it is refused.
    package func verify(_ token: String, now: Timestamp) async throws(TokenRejection) -> TokenClaims {
        guard !token.isEmpty else { throw .missing }
        guard token.utf8.count <= Self.maximumByteCount else { throw .invalid(reason: .tooLong) }
        guard let parts = TokenParts(token) else { throw .invalid(reason: .form) }
        let header = try TokenHeader(parts.header)
        guard let algorithm = TokenAlgorithm(rawValue: header.algorithm) else { throw .invalid(reason: .algorithm) }
        guard let key = state.withLock({ $0.keys[header.keyID] }) else { throw .invalid(reason: .unknownKey) }
        guard key.algorithm == algorithm else { throw .invalid(reason: .otherAlgorithm) }
        guard key.isSignature(parts.signature, of: parts.signed) else { throw .invalid(reason: .signature) }
        var claims = try TokenPayload(parts.payload).claims(configuration, now: now)
        claims.key = TokenKey(name: header.keyID, material: key.material)
        return claims
    }

    /// Counts the changes of the keys: while it stays, every key in use is still in use.
    package var keyGeneration: Int { generation.load(ordering: .acquiring) }

    /// Whether a token that `key` has checked would be checked by the same key now.
    package func isInUse(_ key: TokenKey) -> Bool {
        state.withLock { $0.keys[key.name]?.material == key.material }
    }

    /// Reads the file of keys again where it has changed, and looks at most once in 5 s.
    package func reloadIfChanged(now: Timestamp) async -> TokenKeyReload {
        guard let file = configuration.jwksFile else { return .unchanged }
        let isDue = state.withLock { state in
            // Also when the clock was set back.
            if let last = state.checkedAt, now >= last,
                now.milliseconds - last.milliseconds < Self.checkIntervalMilliseconds
            {
                return false
            }
            state.checkedAt = now
            return true
        }
        guard isDue else { return .unchanged }
        let stamp = FileStamp(file)
        guard state.withLock({ $0.stamp != stamp }) else { return .unchanged }
        return await reload()
    }

    /// Reads the file of keys again.
    ///
    /// A file that cannot be used leaves the keys as they are.
    package func reload() async -> TokenKeyReload {
        guard let file = configuration.jwksFile else { return .unchanged }
        let before = FileStamp(file)
        do throws(TokenConfigurationError) {
            let keys = try await VerificationKeys.read(configuration)
            let stamp = Self.steady(before, file)
            state.withLock { state in
                state.keys = keys
                state.stamp = stamp
                state.problem = nil
            }
            generation.add(1, ordering: .acquiringAndReleasing)
            return .reloaded(keyCount: keys.fileKeyCount, notes: keys.notes)
        } catch {
            let stamp = Self.steady(before, file)
            state.withLock { state in
                state.stamp = stamp
                state.problem = error.description
            }
            return .kept(problem: error.description)
        }
    }

    /// The stamp of a file that did not change while it was read.
    private static func steady(_ before: FileStamp, _ file: String) -> FileStamp? {
        FileStamp(file) == before ? before : nil
    }
}
