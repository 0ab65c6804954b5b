import ChildProcesses
import Domain
import Foundation
import Kafka
import KafkaMock
import TestSupport
import Testing

@Suite("Worker without permission or login", .blocking, .timeLimit(.minutes(10)))
struct RefusedWorkerTests {
    private static let topics = [PipelineTopic.rawLocations, .locations, .warnings, .tracks, .locationsDeadLetter]
        .map(\.rawValue)

    private static func start(_ servers: String, _ extra: [String: String] = [:], port: UInt16 = 0) throws -> Program {
        let environment = [
            "KAFKA_BOOTSTRAP_SERVERS": servers, "KAFKA_SESSION_TIMEOUT_MS": "6000", "LOG_FORMAT": "json",
            "SIGHTLINE_HTTP_HOST": "127.0.0.1", "SIGHTLINE_HTTP_PORT": "\(port)",
        ]
        return try Program("location-worker", environment: environment.merging(extra) { $1 })
    }

    @Test("a restore without Read permission ends the worker with exit code 16, and the log has the permission")
    func deniedRead() async throws {
        let cluster = try MockCluster(brokers: 2)
        for topic in Self.topics {
            cluster.createTopic(topic, partitions: 2)
            let broker = topic == PipelineTopic.rawLocations.rawValue ? 1 : 2
            for partition in 0...1 { cluster.setLeader(of: topic, partition: partition, broker: broker) }
        }
        cluster.setCoordinator(ofGroup: "sightline.location", broker: 1)
        try cluster.fill(Self.topics.filter { $0 != PipelineTopic.rawLocations.rawValue }, partitions: 2)
        cluster.fail(.fetch, atBroker: 2, with: .topicDenied, count: 10_000)
        let worker = try Self.start(cluster.bootstrapServers)
        defer { worker.discard() }
        #expect(try await worker.wait() == 16)
        #expect(worker.output.contains("Read on topic driver."), "\(worker.output)")
        #expect(worker.output.contains("docs/security.md"), "\(worker.output)")
    }

    @Test(
        "after a password change, /readyz reports the password setting, and the worker ends with exit code 16",
        .enabled(if: Checkout.tool("tansu") != nil, "needs the local broker; deploy/test installs it"))
    func changedPassword() async throws {
        try await withChangedPassword { proxy, worker, readiness in
            #expect(readiness().contains("KAFKA_SASL_PASSWORD"))
            #expect(proxy.rejectedLogins > 0)
            #expect(worker.isRunning)
            let code = try await worker.wait()
            #expect(code == 16)
            #expect(worker.output.contains("Invalid username or password"), "\(worker.output)")
            #expect(worker.output.contains("restart the worker"), "\(worker.output)")
            #expect(!worker.output.contains("hunter2"))
        }
    }

    @Test(
        "a temporarily rejected login does not end a worker",
        .enabled(if: Checkout.tool("tansu") != nil, "needs the local broker; deploy/test installs it"))
    func passwordChangedBack() async throws {
        try await withChangedPassword { proxy, worker, readiness in
            proxy.change(password: "hunter2")
            try await eventually("the worker is ready again") { readiness().contains("\"ready\":true") }
            worker.send(signal: SIGTERM)
            let code = try await worker.wait()
            #expect(code == 0)
        }
    }

    /// Runs a worker, changes the broker's password, and calls `body` once /readyz reports the rejected login.
    private func withChangedPassword(
        _ body: (LoginProxy, Program, _ readiness: () -> String) async throws -> Void
    ) async throws {
        let listener = try Loopback.listen(port: 0)
        let broker = try await TestServer.broker(advertised: "127.0.0.1:\(listener.port)")
        defer { broker.end() }
        let proxy = LoginProxy(listener, to: UInt16(broker.port), password: "hunter2")
        defer { proxy.stop() }
        let servers = "127.0.0.1:\(proxy.port)"
        let login = [
            "security.protocol": "SASL_PLAINTEXT", "sasl.mechanism": "PLAIN", "sasl.username": "worker",
            "sasl.password": "hunter2",
        ]
        let admin = try KafkaAdmin(KafkaConfiguration(bootstrapServers: servers, properties: login)) { _ in }
        _ = try admin.create(Self.topics.map { .init(name: $0, partitions: 2, replication: 1) })
        let port = try FreePort.find()
        let settings = login.map { ("KAFKA_" + $0.uppercased().replacingOccurrences(of: ".", with: "_"), $1) }
        let worker = try Self.start(servers, Dictionary(uniqueKeysWithValues: settings), port: port)
        defer { worker.discard() }
        func readiness() -> String { Loopback.get(port: port, path: "/readyz") ?? "" }
        try await eventually("the worker is ready") { readiness().contains("\"ready\":true") }
        proxy.change(password: "correct horse")
        try await eventually("readiness reports the rejected login") {
            readiness().contains("rejects this worker's login")
        }
        try await body(proxy, worker, readiness)
    }
}
