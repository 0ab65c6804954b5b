import Foundation
import Testing

@testable import Runtime

@Suite("Advice for services that do not answer")
struct AddressAdviceTests {
    enum Service: CaseIterable {
        case kafka, redis, postgres

        /// Variable of the address.
        var key: String {
            switch self {
            case .kafka: "KAFKA_BOOTSTRAP_SERVERS"
            case .redis: "REDIS_URL"
            case .postgres: "POSTGRES_URL"
            }
        }

        /// Valid value of the variable.
        var address: String {
            switch self {
            case .kafka: "127.0.0.1:1"
            case .redis: "redis://127.0.0.1:1"
            case .postgres: "postgresql://127.0.0.1:1/d"
            }
        }

        func advice(_ settings: Settings, in folder: URL) -> String {
            switch self {
            case .kafka: settings.kafka.advice(in: folder)
            case .redis: settings.redis.advice(in: folder)
            case .postgres: settings.postgres.advice(in: folder)
            }
        }
    }

    /// Returns the advice in a folder two levels below `root`, a new folder that contains `files`.
    private func advice(
        _ service: Service, _ files: [String], environment: [String: String] = [:]
    ) throws -> (text: String, root: String) {
        let root = FileManager.default.temporaryDirectory.appendingPathComponent(
            "advice-\(UUID().uuidString.prefix(8))")
        defer { try? FileManager.default.removeItem(at: root) }
        for file in files + ["a/b/c"] {
            let url = root.appendingPathComponent(file)
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data().write(to: url)
        }
        let settings = try Settings(for: .commandLine, environment: environment)
        return (service.advice(settings, in: root.appendingPathComponent("a/b")), root.path)
    }

    @Test("if no variable is set, the advice contains the variable of the address", arguments: Service.allCases)
    func nothingSet(service: Service) throws {
        let advice = try advice(service, []).text
        #expect(advice.contains(service.key) && advice.contains("default address: set "), "\(advice)")
        #expect(!advice.contains("deploy/"))
    }

    @Test(
        "in a checkout with a running stack, the advice contains its command and its environment file",
        arguments: Service.allCases)
    func insideCheckout(service: Service) throws {
        let (advice, root) = try advice(service, [".local/run/env", "deploy/local/stack", "deploy/sl"])
        #expect(advice.contains("`\(root)/deploy/sl`"), "\(advice)")
        #expect(advice.contains("`. \(root)/.local/run/env`"), "\(advice)")
        #expect(try self.advice(service, [".local/run/env"]).text.contains(".local/run/env"))
    }

    @Test(
        "in a checkout without a running stack, the advice contains the command that starts the stack",
        arguments: Service.allCases)
    func stoppedStack(service: Service) throws {
        let (advice, root) = try advice(service, ["deploy/local/stack", "deploy/sl"])
        #expect(advice.contains("`\(root)/deploy/local/stack start`"), "\(advice)")
        #expect(!advice.contains("run/env"), "\(advice)")
    }

    @Test("a service whose variable is set has no advice; other services have advice", arguments: Service.allCases)
    func variableSet(service: Service) throws {
        let environment = [service.key: service.address]
        #expect(try advice(service, [".local/run/env"], environment: environment).text == "")
        for other in Service.allCases where other != service {
            #expect(try advice(other, [], environment: environment).text != "")
        }
    }

    @Test("any other variable KAFKA_… also suppresses the advice")
    func otherVariable() throws {
        let environment = ["KAFKA_SOCKET_KEEPALIVE_ENABLE": "true"]
        #expect(try advice(.kafka, [".local/run/env"], environment: environment).text == "")
    }

    @Test("the `_FILE` variant of the variable also suppresses the advice", arguments: [Service.redis, .postgres])
    func secretFile(service: Service) throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("advice-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(service.address.utf8).write(to: file)
        #expect(try advice(service, [], environment: [service.key + "_FILE": file.path]).text == "")
    }

    @Test(
        "blank variables and Kubernetes service links do not suppress the advice",
        arguments: Service.allCases, ["", " "])
    func blank(service: Service, value: String) throws {
        let environment = [service.key: value, "KAFKA_SERVICE_HOST": "10.0.0.1", "REDIS_SERVICE_HOST": "10.0.0.1"]
        #expect(try advice(service, [], environment: environment).text != "")
    }
}
