import ChildProcesses
import Foundation
import KafkaMock
import TestSupport
import Testing

/// Against a cluster in this process, whose faults can be chosen.
@Suite("A driver-gateway whose brokers are away or refuse records", .blocking, .serialized, .timeLimit(.minutes(5)))
struct DriverGatewayFaultTests {
    private let cluster: MockCluster
    private let gateway: Program
    private let address: String
    private let endpoint: UInt16
    private let token: String

    init() async throws {
        cluster = try MockCluster()
        for topic in ["driver.locations.raw", "driver.warnings", "trips"] { cluster.createTopic(topic, partitions: 3) }
        let port = try FreePort.take()
        address = "127.0.0.1:\(port)"
        endpoint = try FreePort.take()
        token = try await GatewayTokens.token(driver: "d1")
        gateway = try Program(
            "driver-gateway",
            environment: [
                "KAFKA_BOOTSTRAP_SERVERS": cluster.bootstrapServers, "SIGHTLINE_TOPIC_PREFIX": "",
                "SIGHTLINE_DRIVER_PORT": String(port), "SIGHTLINE_HTTP_PORT": String(endpoint),
                "SIGHTLINE_TOKEN_SECRET": GatewayTokens.secret, "KAFKA_SECURITY_PROTOCOL": "PLAINTEXT",
            ])
        try await eventually("the gateway is ready: \(gateway.output)") { isReady }
    }

    private var isReady: Bool {
        Loopback.get(port: endpoint, path: "/readyz")?.hasPrefix("{\"ready\":true") == true
    }

    /// Starts a device that uploads `count` locations.
    private func upload(_ count: Int) throws -> Program {
        try WebScript.start(
            "driver_upload.py", [address, token, String(count)], logs: FileManager.default.temporaryDirectory)
    }

    /// Posts a location of another driver, since the uploading one may have used up its rate.
    private func post() async throws -> String {
        try WebScript.run("driver_post.py", [address, "d2", await GatewayTokens.token(driver: "d2")]).output
    }

    @Test("acknowledges nothing while no broker answers, and everything once one answers again")
    func outage() async throws {
        defer { gateway.discard() }
        cluster.takeDown(broker: 1)
        try await eventually("the gateway is not ready") { !isReady }
        let device = try upload(200)
        defer { device.discard() }
        let answer = try await post()
        #expect(answer.contains("503 2 TRY_AGAIN"), "\(answer)")
        #expect(device.isRunning && !device.output.contains("acknowledged"), "\(device.output)")
        cluster.bringUp(broker: 1)
        #expect(try await device.wait() == 0, "\(device.output)")
        #expect(!device.output.contains("lost"), "the device stayed connected")
        try await eventually("the gateway is ready again") { isReady }
    }

    @Test("closes the connection whose record is refused for good, and the device sends it again")
    func refusal() async throws {
        defer { gateway.discard() }
        cluster.deny(.produce, with: .topicDenied)
        let device = try upload(200)
        defer { device.discard() }
        try await eventually("the device is told: \(device.output)") { device.output.contains("NOT_WRITTEN") }
        #expect(!device.output.contains("\nacknowledged ") && !device.output.hasPrefix("acknowledged "))
        // A device that is told so while it is still sending gets the message nevertheless.
        let told = device.output.matches(of: /NOT_WRITTEN/).count
        #expect(told > 0 && device.output.matches(of: /^lost$/.anchorsMatchLineEndings()).count <= told)
        let answer = try await post()
        #expect(answer.contains("503 2 NOT_WRITTEN"), "\(answer)")
        cluster.heal(.produce)
        #expect(try await device.wait() == 0, "\(device.output)")
        #expect(device.output.contains("lost") && device.output.contains("acknowledged 200"))
        #expect(gateway.output.contains("grant this program's user Write on topic"), "the log names the right")
    }

    @Test("tells a device whose record is larger than the topic takes that it is too large")
    func tooLarge() async throws {
        defer { gateway.discard() }
        cluster.fail(.produce, with: [.messageTooLarge])
        for expected in ["413 None TOO_LARGE", "200 None None"] {
            let answer = try await post()
            #expect(answer.contains(expected), "\(answer)")
        }
    }
}
