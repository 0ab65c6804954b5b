import ChildProcesses
import Foundation
import KafkaMock
import TestSupport

/// Driver-gateway whose Kafka cluster is a mock in this process, so that tests can inject faults.
struct MockedDriverGateway {
    static let partitions = 3

    let cluster: MockCluster
    let program: Program
    /// Address for devices.
    let address: String
    private let httpPort: UInt16

    /// Starts the gateway and waits until it is ready.
    ///
    /// `configure` changes the cluster before the gateway starts.
    init(
        brokers: Int = 1, settings: [String: String] = [:], configure: (MockCluster) -> Void = { _ in }
    ) async throws {
        cluster = try MockCluster(brokers: brokers)
        for topic in ["driver.locations.raw", "driver.warnings", "trips"] {
            cluster.createTopic(topic, partitions: Self.partitions)
        }
        configure(cluster)
        let port = try FreePort.find()
        address = "127.0.0.1:\(port)"
        httpPort = try FreePort.find()
        program = try Program(
            "driver-gateway",
            environment: [
                "KAFKA_BOOTSTRAP_SERVERS": cluster.bootstrapServers, "SIGHTLINE_TOPIC_PREFIX": "",
                "SIGHTLINE_DRIVER_PORT": String(port), "SIGHTLINE_HTTP_PORT": String(httpPort),
                "SIGHTLINE_TOKEN_SECRET": GatewayTokens.secret, "KAFKA_SECURITY_PROTOCOL": "PLAINTEXT",
            ].merging(settings) { $1 })
        try await eventually("the gateway is ready: \(program.output)") { isReady }
    }

    var output: String { program.output }
    /// Response of /readyz; empty if the gateway does not respond.
    var readiness: String { Loopback.get(port: httpPort, path: "/readyz") ?? "" }
    var isReady: Bool { readiness.hasPrefix("{\"ready\":true") }

    /// Posts a location, and returns the status, `Retry-After` and error code.
    func postLocation(_ driver: String, token: String) throws -> String {
        try WebScript.run("driver_post.py", [address, driver, token]).output
    }

    /// Starts a device script whose first argument is the gateway's address.
    func startDevice(_ script: String, _ arguments: [String]) throws -> Program {
        try WebScript.start(script, [address] + arguments, logs: FileManager.default.temporaryDirectory)
    }

    /// Ends the gateway and deletes its log.
    func end() { program.discard() }
}
