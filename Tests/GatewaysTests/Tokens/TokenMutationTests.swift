import TestSupport
import Testing

@testable import Gateways
@testable import Signatures

@Suite("Modified tokens")
struct TokenMutationTests {
    private static let tokens = [SignedByOpenSSL.hs256, SignedByOpenSSL.rs256, SignedByOpenSSL.es256]
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.+/=".utf8)

    /// Applies a random modification.
    private static func mutate(_ bytes: inout [UInt8], _ random: inout SeededGenerator) {
        guard !bytes.isEmpty else { return bytes = [UInt8.random(in: 0...127, using: &random)] }
        let index = Int.random(in: 0..<bytes.count, using: &random)
        let letter = alphabet[Int.random(in: 0..<alphabet.count, using: &random)]
        switch Int.random(in: 0..<9, using: &random) {
        case 0: bytes[index] ^= 1 << UInt8.random(in: 0..<7, using: &random)
        case 1: bytes[index] = letter
        case 2: bytes.insert(letter, at: index)
        case 3: bytes.remove(at: index)
        case 4: bytes.swapAt(index, Int.random(in: 0..<bytes.count, using: &random))
        case 5: bytes.removeSubrange(index...)
        case 6: bytes.append(letter)
        case 7: bytes.append(contentsOf: bytes[index...])
        default: exchangeParts(&bytes, &random)
        }
    }

    /// Replaces a part with the same part of a random test token.
    private static func exchangeParts(_ bytes: inout [UInt8], _ random: inout SeededGenerator) {
        let dot = UInt8(ascii: ".")
        var parts = bytes.split(separator: dot, omittingEmptySubsequences: false)
        let other = Array(tokens[Int.random(in: 0..<tokens.count, using: &random)].utf8)
            .split(separator: dot, omittingEmptySubsequences: false)
        let index = Int.random(in: 0..<min(parts.count, other.count), using: &random)
        parts[index] = other[index]
        bytes = Array(parts.joined(separator: [dot]))
    }

    @Test("a modified token is accepted only if it equals a signed token")
    func mutations() async throws {
        let seed = UInt64.random(in: .min ... .max)
        print("Seed of the modified tokens: \(seed)")
        var random = SeededGenerator(seed: seed)
        let file = try TestKeyFile(TestKeyFile.openSSL)
        let verifier = try TokenVerifier(secret: SignedByOpenSSL.secret, file: file)
        let genuine = Set(Self.tokens.map { Array($0.utf8) })
        var reachedSignature = 0
        for token in Self.tokens {
            for _ in 0..<2000 {
                var bytes = Array(token.utf8)
                for _ in 0..<Int.random(in: 1...3, using: &random) { Self.mutate(&bytes, &random) }
                let text = String(decoding: bytes, as: UTF8.self)
                let rejection = await verifier.rejection(text)
                if rejection == .invalid(reason: .signature) { reachedSignature += 1 }
                #expect((rejection == nil) == genuine.contains(Array(text.utf8)), "seed \(seed): \(text)")
            }
        }
        // Ensures that the test checks signatures and not only the format.
        #expect(reachedSignature > 500, "seed \(seed)")
    }

    @Test("modified claims in valid encoding are rejected")
    func claims() async throws {
        let seed = UInt64.random(in: .min ... .max)
        print("Seed of the modified claims: \(seed)")
        var random = SeededGenerator(seed: seed)
        let issuer = TestIssuer()
        let verifier = try TokenVerifier()
        let payload = Array(String.claims(#""sub":"rider_1","trips":["tr_1"]"#).utf8)
        let token = issuer.token(String(decoding: payload, as: UTF8.self))
        let parts = token.split(separator: ".")
        for _ in 0..<2000 {
            var changed = payload
            changed[Int.random(in: 0..<changed.count, using: &random)] = UInt8.random(in: 0x20...0x7e, using: &random)
            let other = "\(parts[0]).\(Base64URL.encode(changed)).\(parts[2])"
            let expected: TokenRejection? = changed == payload ? nil : .invalid(reason: .signature)
            #expect(await verifier.rejection(other) == expected, "seed \(seed): \(other)")
        }
    }
}
