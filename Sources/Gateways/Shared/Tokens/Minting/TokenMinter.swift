import Foundation
import JWTKit
import Runtime
import Support

/// Makes tokens with the secret, for trying things out; apps get theirs from their own backend.
package struct TokenMinter: Sendable {
    private let keys: JWTKeyCollection

    /// - Throws: that there is no secret, or what is wrong with it.
    package init(secret: Secret?) async throws(TokenConfigurationError) {
        guard let secret else { throw .noSecret }
        let bytes = try TokenSecret.bytes(secret)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        keys = JWTKeyCollection()
        await keys.add(
            hmac: HMACKey(from: bytes), digestAlgorithm: .sha256,
            serializer: DefaultJWTSerializer(jsonEncoder: encoder))
    }

    /// A token that says `grant` and is taken from `now` on.
    package func mint(_ grant: TokenGrant, now: Timestamp) async throws -> String {
        try await keys.sign(MintedPayload(grant, now: now))
    }
}
