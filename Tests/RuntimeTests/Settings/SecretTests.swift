import Foundation
import Testing

@testable import Runtime

@Suite("Secrets")
struct SecretTests {
    static let hidden = "hunter2"

    @Test("a secret prints as asterisks")
    func printing() {
        struct Holder { let secret: Secret }
        let secret = Secret(Self.hidden)
        var dumped = ""
        dump(Holder(secret: secret), to: &dumped)
        dump(["a": [secret]], to: &dumped)
        for text in [
            "\(secret)", secret.description, secret.debugDescription, String(reflecting: secret),
            "\(Holder(secret: secret))", "\([secret])", "\(Optional(secret) as Any)", dumped,
        ] {
            #expect(!text.contains(Self.hidden), "\(text)")
        }
        #expect("\(secret)" == "****")
        #expect(secret.reveal() == Self.hidden)
    }

    @Test(
        "a URL shows its address without user, password and query",
        arguments: [
            ("redis://host:6379/0", "redis://host:6379/0"),
            ("redis://:hunter2@host:6379/0", "redis://****@host:6379/0"),
            ("postgresql://u:hun@ter2@h/d", "postgresql://****@h/d"),
            ("postgresql://u:hun/ter2@h/d", "postgresql://****@h/d"),
            ("postgresql://h/d?password=hunter2", "postgresql://h/d?****"),
            ("postgresql://h/d?password=hun@ter2", "postgresql://****"),
            ("redis://:hun?ter2@host", "redis://****"),
            ("postgresql://a:1,b:2/d", "postgresql://a:1,b:2/d"),
            ("hunter2", "****"),
        ])
    func redaction(url: String, shown: String) { #expect(Secret(url).redactedURL == shown) }

    @Test("settings, problems and effective configuration show no secret")
    func nothingLeaks() throws {
        let environment = [
            "REDIS_URL": "redis://:hunter2@h", "POSTGRES_URL": "postgresql://u:hunter2@h/d",
            "KAFKA_SECURITY_PROTOCOL": "SASL_SSL", "KAFKA_SASL_USERNAME": "worker",
            "KAFKA_SASL_PASSWORD": Self.hidden, "KAFKA_SSL_KEY_PASSWORD": Self.hidden, "KAFKA_SSL_KEY_PEM": Self.hidden,
            "KAFKA_SASL_OAUTHBEARER_CLIENT_SECRET": Self.hidden, "KAFKA_SASL_OAUTHBEARER_CONFIG": Self.hidden,
        ]
        let settings = try Settings(for: .commandLine, environment: environment)
        var text = "\(settings)\n\(settings.effective)\n"
        dump(settings, to: &text)
        #expect(!text.contains(Self.hidden))
        #expect(settings.kafka.revealedProperties["sasl.password"] == Self.hidden)

        for (key, wrong) in [("REDIS_URL", "redisss://:hunter2@h"), ("POSTGRES_URL", "hunter2")] {
            let problems = SettingsReadingTests.problems(.commandLine, [key: wrong])
            #expect(problems.count == 1)
            #expect(!"\(problems)".contains(Self.hidden))
            #expect(problems.first?.description.hasPrefix("\(key)=****: must be a URL") == true)
        }
    }

    @Test("a secret can be read from a file and is trimmed")
    func files() throws {
        try Self.withFile("  redis://:hunter2@h:1\n") { path in
            let settings = try Settings(for: .positionWorker, environment: ["REDIS_URL_FILE": path])
            #expect(settings.redis.url.reveal() == "redis://:hunter2@h:1")
            #expect(settings.effective.map(\.description).contains("REDIS_URL=redis://****@h:1 (from \(path))"))
        }
        try Self.withFile("postgresql://h/d") { path in
            let settings = try Settings(for: .historyWorker, environment: ["POSTGRES_URL_FILE": path])
            #expect(settings.postgres.url.reveal() == "postgresql://h/d")
        }
        try Self.withFile("hunter2\n") { path in
            let settings = try Settings(
                for: .historyWorker,
                environment: [
                    "KAFKA_SECURITY_PROTOCOL": "SASL_SSL", "KAFKA_SASL_USERNAME": "worker",
                    "KAFKA_SASL_PASSWORD_FILE": path,
                ])
            #expect(settings.kafka.revealedProperties["sasl.password"] == "hunter2")
        }
    }

    @Test("a secret that is set twice, a missing file and an empty file are problems")
    func fileProblems() throws {
        try Self.withFile("redis://h") { path in
            let both = ["REDIS_URL": "redis://h", "REDIS_URL_FILE": path]
            #expect(
                SettingsReadingTests.problems(.positionWorker, both).map(\.keys) == [["REDIS_URL", "REDIS_URL_FILE"]])
        }
        for key in ["REDIS_URL_FILE", "KAFKA_SASL_PASSWORD_FILE"] {
            let missing = SettingsReadingTests.problems(.positionWorker, [key: "/no/such/file"])
            #expect(missing.map(\.keys) == [[key]])
            #expect(missing.first?.description.contains("cannot be read") == true)
        }
        try Self.withFile(" \n") { path in
            let empty = SettingsReadingTests.problems(.positionWorker, ["REDIS_URL_FILE": path])
            #expect(empty.first?.description.contains("is empty") == true)
        }
    }

    static func withFile(_ content: String, _ body: (String) throws -> Void) throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "secret-\(UUID().uuidString)")
        try content.write(to: url, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(at: url) }
        try body(url.path(percentEncoded: false))
    }
}
