import Foundation
import Testing

@testable import Gateways
@testable import Support

@Suite("Rotation of keys")
struct TokenRotationTests {
    private let old: TestIssuer
    private let new: TestIssuer
    private let file: TestKeyFile
    private let verifier: TokenVerifier
    private let oldToken: String
    private let newToken: String

    init() async throws {
        old = try await TestIssuer.curve()
        new = try await TestIssuer.curve()
        file = try TestKeyFile([old.key("old")])
        verifier = try await TokenVerifier(secret: nil, file: file)
        oldToken = try old.token(.claims(), kid: "old")
        newToken = try new.token(.claims(), kid: "new")
    }

    /// Which of the two are taken.
    private func taken() async -> [String] {
        var names: [String] = []
        if await verifier.rejection(oldToken) == nil { names.append("old") }
        if await verifier.rejection(newToken) == nil { names.append("new") }
        return names
    }

    private func look(_ seconds: Double) async -> TokenKeyReload {
        await verifier.reloadIfChanged(now: Timestamp.test.advanced(bySeconds: seconds))
    }

    @Test("a key is added, and then the one before it is removed")
    func rotation() async throws {
        #expect(await taken() == ["old"])
        try file.write([old.key("old"), new.key("new")])
        #expect(await look(0) == .reloaded(keyCount: 2, notes: []))
        #expect(await taken() == ["old", "new"])
        try file.write([new.key("new")])
        #expect(await look(5) == .reloaded(keyCount: 1, notes: []))
        #expect(await taken() == ["new"])
        #expect(await verifier.rejection(oldToken) == .invalid(reason: .unknownKey))
    }

    @Test("a key is in use until the file is without it, or has another key by its name")
    func keysInUse() async throws {
        let key = try #require(try await verifier.verify(oldToken, now: .test).key)
        let generation = verifier.keyGeneration
        #expect(verifier.isInUse(key))
        try file.write([old.key("old"), new.key("new")])
        #expect(await look(0) == .reloaded(keyCount: 2, notes: []))
        #expect(verifier.isInUse(key) && verifier.keyGeneration != generation)
        try file.write([new.key("old")])
        #expect(await look(5) == .reloaded(keyCount: 1, notes: []))
        #expect(!verifier.isInUse(key))
        try file.write([old.key("old")])
        #expect(await look(10) == .reloaded(keyCount: 1, notes: []))
        #expect(verifier.isInUse(key))
        try file.write([new.key("new")])
        #expect(await look(15) == .reloaded(keyCount: 1, notes: []))
        #expect(!verifier.isInUse(key))
    }

    @Test("a broken file leaves the keys in use, and their generation as it was")
    func keysOfBrokenFile() async throws {
        let key = try #require(try await verifier.verify(oldToken, now: .test).key)
        let generation = verifier.keyGeneration
        try file.write(text: "{")
        guard case .kept = await verifier.reload() else {
            Issue.record("It was taken.")
            return
        }
        #expect(verifier.isInUse(key) && verifier.keyGeneration == generation)
    }

    @Test("a file that has not changed is not read again")
    func unchanged() async {
        for seconds in [0.0, 5, 10, 86_400] { #expect(await look(seconds) == .unchanged) }
        #expect(await taken() == ["old"])
    }

    @Test("the file is looked at once in 5 s", arguments: [(4.999, false), (5, true), (5.001, true)])
    func interval(seconds: Double, isReloaded: Bool) async throws {
        #expect(await look(0) == .unchanged)
        try file.write([new.key("new")])
        #expect(await look(0.001) == .unchanged)
        #expect(await look(seconds) == (isReloaded ? .reloaded(keyCount: 1, notes: []) : .unchanged))
        #expect(await taken() == (isReloaded ? ["new"] : ["old"]))
    }

    @Test("a clock that is set back does not stop it")
    func clock() async throws {
        #expect(await look(1_000_000) == .unchanged)
        try file.write([new.key("new")])
        #expect(await look(0) == .reloaded(keyCount: 1, notes: []))
    }

    @Test("a broken file keeps the keys and is reported once, and the next good one is taken")
    func broken() async throws {
        try file.write(text: #"{"keys":["#)
        guard case .kept(let problem) = await look(0) else {
            Issue.record("It was taken.")
            return
        }
        #expect(problem.hasPrefix("SIGHTLINE_TOKEN_JWKS_FILE=\(file.path): the file is no JSON Web Key Set"))
        #expect(verifier.keyFileProblem == problem)
        #expect(await look(5) == .unchanged)
        #expect(await taken() == ["old"])
        try file.write(["7", new.key("new")])
        let note = #"the key without "kid": it has no "kty", or a member that is not text"#
        #expect(await look(10) == .reloaded(keyCount: 1, notes: [note]))
        #expect(verifier.keyFileProblem == nil && verifier.keyNotes == [note])
        #expect(await taken() == ["new"])
    }

    @Test("a file without a key that can be used keeps the keys")
    func unusable() async throws {
        for text in [#"{"keys":[]}"#, #"{"keys":[{"kty":"OKP","kid":"old"}]}"#] {
            try file.write(text: text)
            guard case .kept = await verifier.reload() else {
                Issue.record("\(text) was taken.")
                return
            }
            #expect(await taken() == ["old"])
        }
    }

    @Test("a file that is gone keeps the keys until it is there again")
    func gone() async throws {
        try FileManager.default.removeItem(atPath: file.path)
        guard case .kept = await look(0) else {
            Issue.record("A missing file was taken.")
            return
        }
        #expect(await look(5) == .unchanged)
        #expect(await taken() == ["old"])
        try file.write([new.key("new")])
        #expect(await look(10) == .reloaded(keyCount: 1, notes: []))
        #expect(await taken() == ["new"])
    }

    @Test("a link whose target changes is a changed file, as of a secret of Kubernetes")
    func link() async throws {
        let link = file.path + ".link"
        defer { try? FileManager.default.removeItem(atPath: link) }
        let second = try TestKeyFile([new.key("new")])
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: file.path)
        let linked = try await TokenVerifier(secret: nil, keyFile: link)
        #expect(await linked.rejection(oldToken) == nil)
        try FileManager.default.removeItem(atPath: link)
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: second.path)
        #expect(await linked.reloadIfChanged(now: .test) == .reloaded(keyCount: 1, notes: []))
        #expect(await linked.rejection(oldToken) == .invalid(reason: .unknownKey))
        #expect(await linked.rejection(newToken) == nil)
    }

    @Test("the secret stays while the file changes, and without a file there is nothing to read")
    func secret() async throws {
        let both = try await TokenVerifier(secret: TestIssuer.secret, file: file)
        let token = try await TestIssuer().token(.claims())
        try file.write([new.key("new")])
        #expect(await both.reload() == .reloaded(keyCount: 1, notes: []))
        #expect(await both.rejection(token) == nil)
        let alone = try await TokenVerifier()
        #expect(await alone.reload() == .unchanged)
        #expect(await alone.reloadIfChanged(now: .test) == .unchanged)
    }

    @Test("tokens are checked while keys are read")
    func concurrent() async throws {
        try file.write([old.key("old"), new.key("new")])
        await withTaskGroup { group in
            for _ in 0..<4 {
                group.addTask { [verifier, oldToken] in
                    for _ in 0..<20 { #expect(await verifier.rejection(oldToken) == nil) }
                }
                group.addTask { [verifier] in
                    for _ in 0..<20 { #expect(await verifier.reload() == .reloaded(keyCount: 2, notes: [])) }
                }
            }
        }
        #expect(await taken() == ["old", "new"])
    }
}
