import Foundation
import Testing

@testable import Signatures

@Suite("Base64 for URLs")
struct Base64URLTests {
    @Test("bytes of any length are encoded as by Foundation, and decoded again")
    func agreesWithFoundation() {
        let seed = UInt64.random(in: 0...UInt64.max)
        var state = seed
        for count in 0..<200 {
            let bytes = (0..<count).map { _ in
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return UInt8(state >> 56)
            }
            let text = Base64URL.encode(bytes)
            let expected = Data(bytes).base64EncodedString()
                .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
            #expect(text == expected, "seed \(seed), \(count) bytes")
            #expect(Base64URL.decode(text.utf8) == bytes, "seed \(seed), \(count) bytes")
        }
    }
}
