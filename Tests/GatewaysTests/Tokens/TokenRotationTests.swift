import Foundation
import Testing

@testable import Gateways
@testable import Signatures
@testable import Support

@Suite("Key rotation")
struct TokenRotationTests {
    private let old: TestIssuer
    private let new: TestIssuer
    private let file: TestKeyFile
    private let verifier: TokenVerifier
    private let oldToken: String
    private let newToken: String

    init() async throws {
        old = try TestIssuer.curve()
        new = try TestIssuer.curve()
        file = try TestKeyFile([old.key("old")])
        verifier = try TokenVerifier(secret: nil, file: file)
        oldToken = old.token(.claims(), kid: "old")
        newToken = new.token(.claims(), kid: "new")
    }

    /// Returns the names of the accepted tokens.
    private func acceptedTokens() async -> [String] {
        var names: [String] = []
        if await verifier.rejection(oldToken) == nil { names.append("old") }
        if await verifier.rejection(newToken) == nil { names.append("new") }
        return names
    }

    @Test("after each reload, only tokens of the keys in the file are accepted")
    func rotation() async throws {
        #expect(await acceptedTokens() == ["old"])
        try file.write([old.key("old"), new.key("new")])
        #expect(verifier.reloadIfChanged() == .reloaded(keyCount: 2, ignoredKeys: []))
        #expect(await acceptedTokens() == ["old", "new"])
        try file.write([new.key("new")])
        #expect(verifier.reloadIfChanged() == .reloaded(keyCount: 1, ignoredKeys: []))
        #expect(await acceptedTokens() == ["new"])
        #expect(await verifier.rejection(oldToken) == .invalid(reason: .unknownKey))
    }

    @Test("a key is in use while the file contains it under its kid")
    func keysInUse() async throws {
        let key = try #require(try await verifier.verify(oldToken, now: .test).key)
        let generation = verifier.keyGeneration
        #expect(verifier.isInUse(key))
        try file.write([old.key("old"), new.key("new")])
        #expect(verifier.reloadIfChanged() == .reloaded(keyCount: 2, ignoredKeys: []))
        #expect(verifier.isInUse(key) && verifier.keyGeneration != generation)
        try file.write([new.key("old")])
        #expect(verifier.reloadIfChanged() == .reloaded(keyCount: 1, ignoredKeys: []))
        #expect(!verifier.isInUse(key))
        try file.write([old.key("old")])
        #expect(verifier.reloadIfChanged() == .reloaded(keyCount: 1, ignoredKeys: []))
        #expect(verifier.isInUse(key))
        try file.write([new.key("new")])
        #expect(verifier.reloadIfChanged() == .reloaded(keyCount: 1, ignoredKeys: []))
        #expect(!verifier.isInUse(key))
    }

    @Test("a secret with an additional leading zero byte is a different key")
    func secretWithZero() async throws {
        let issuer = TestIssuer()
        try file.write([issuer.key("h")])
        #expect(verifier.reloadIfChanged() == .reloaded(keyCount: 1, ignoredKeys: []))
        let token = issuer.token(.claims(), kid: "h")
        let key = try #require(try await verifier.verify(token, now: .test).key)
        try file.write([TestIssuer(secret: "\0" + TestIssuer.secret).key("h")])
        #expect(verifier.reloadIfChanged() == .reloaded(keyCount: 1, ignoredKeys: []))
        #expect(!verifier.isInUse(key))
        #expect(await verifier.rejection(token) == .invalid(reason: .signature))
    }

    @Test("an RSA key with another number of leading zeros is the same key")
    func modulusWithZeros() async throws {
        let modulus = try #require(Base64URL.decode(SignedByOpenSSL.modulus.utf8))
        func entry(_ zeros: Int) -> String {
            let padded = Base64URL.encode(Array(repeating: 0, count: zeros) + modulus)
            return #"{"kty":"RSA","kid":"rsa","n":"\#(padded)","e":"AQAB"}"#
        }
        try file.write([entry(0)])
        #expect(verifier.reloadIfChanged() == .reloaded(keyCount: 1, ignoredKeys: []))
        let key = try #require(try await verifier.verify(SignedByOpenSSL.rs256, now: .test).key)
        try file.write([entry(2)])
        #expect(verifier.reloadIfChanged() == .reloaded(keyCount: 1, ignoredKeys: []))
        #expect(verifier.isInUse(key))
        #expect(await verifier.rejection(SignedByOpenSSL.rs256) == nil)
    }

    @Test("an invalid file changes neither the keys nor their generation")
    func keysOfBrokenFile() async throws {
        let key = try #require(try await verifier.verify(oldToken, now: .test).key)
        let generation = verifier.keyGeneration
        try file.write(text: "{")
        guard case .failed = verifier.reload() else {
            Issue.record("The file was accepted.")
            return
        }
        #expect(verifier.isInUse(key) && verifier.keyGeneration == generation)
    }

    @Test("an unchanged file is not reloaded")
    func unchanged() async {
        for _ in 0..<2 { #expect(verifier.reloadIfChanged() == .unchanged) }
        #expect(await acceptedTokens() == ["old"])
    }

    @Test("after an invalid file, which is reported once, the keys stay in use until a valid file is loaded")
    func broken() async throws {
        try file.write(text: #"{"keys":["#)
        guard case .failed(let problem) = verifier.reloadIfChanged() else {
            Issue.record("The file was accepted.")
            return
        }
        #expect(problem.hasPrefix("SIGHTLINE_TOKEN_JWKS_FILE=\(file.path): the file is not a JSON Web Key Set"))
        #expect(verifier.reloadIfChanged() == .unchanged)
        #expect(await acceptedTokens() == ["old"])
        try file.write(["7", new.key("new")])
        let reason = #"the key without "kid": it has no "kty", or a member that is not text"#
        #expect(verifier.reloadIfChanged() == .reloaded(keyCount: 1, ignoredKeys: [reason]))
        #expect(verifier.ignoredKeys == [reason])
        #expect(await acceptedTokens() == ["new"])
    }

    @Test("after a file without a usable key, the previous keys stay in use")
    func unusable() async throws {
        for text in [#"{"keys":[]}"#, #"{"keys":[{"kty":"OKP","kid":"old"}]}"#] {
            try file.write(text: text)
            guard case .failed = verifier.reload() else {
                Issue.record("\(text) was accepted.")
                return
            }
            #expect(await acceptedTokens() == ["old"])
        }
    }

    @Test("after the file is deleted, the previous keys stay in use until it exists again")
    func deletedFile() async throws {
        try FileManager.default.removeItem(atPath: file.path)
        guard case .failed = verifier.reloadIfChanged() else {
            Issue.record("A missing file was accepted.")
            return
        }
        #expect(verifier.reloadIfChanged() == .unchanged)
        #expect(await acceptedTokens() == ["old"])
        try file.write([new.key("new")])
        #expect(verifier.reloadIfChanged() == .reloaded(keyCount: 1, ignoredKeys: []))
        #expect(await acceptedTokens() == ["new"])
    }

    @Test("a changed link target is detected, as in a Kubernetes secret")
    func link() async throws {
        let link = file.path + ".link"
        defer { try? FileManager.default.removeItem(atPath: link) }
        let second = try TestKeyFile([new.key("new")])
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: file.path)
        let linked = try TokenVerifier(secret: nil, keyFile: link)
        #expect(await linked.rejection(oldToken) == nil)
        try FileManager.default.removeItem(atPath: link)
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: second.path)
        #expect(linked.reloadIfChanged() == .reloaded(keyCount: 1, ignoredKeys: []))
        #expect(await linked.rejection(oldToken) == .invalid(reason: .unknownKey))
        #expect(await linked.rejection(newToken) == nil)
    }

    @Test("the secret stays valid after reloads, and without a file nothing is reloaded")
    func secret() async throws {
        let both = try TokenVerifier(secret: TestIssuer.secret, file: file)
        let token = TestIssuer().token(.claims())
        try file.write([new.key("new")])
        #expect(both.reload() == .reloaded(keyCount: 1, ignoredKeys: []))
        #expect(await both.rejection(token) == nil)
        let withoutFile = try TokenVerifier()
        #expect(withoutFile.reload() == .unchanged)
        #expect(withoutFile.reloadIfChanged() == .unchanged)
    }

    @Test("tokens are verified while keys are reloaded")
    func concurrent() async throws {
        try file.write([old.key("old"), new.key("new")])
        await withTaskGroup { group in
            for _ in 0..<4 {
                group.addTask { [verifier, oldToken] in
                    for _ in 0..<20 { #expect(await verifier.rejection(oldToken) == nil) }
                }
                group.addTask { [verifier] in
                    for _ in 0..<20 { #expect(verifier.reload() == .reloaded(keyCount: 2, ignoredKeys: [])) }
                }
            }
        }
        #expect(await acceptedTokens() == ["old", "new"])
    }
}
