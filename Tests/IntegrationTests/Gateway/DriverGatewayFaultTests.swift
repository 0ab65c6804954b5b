import ChildProcesses
import KafkaMock
import TestSupport
import Testing

@Suite("driver-gateway during broker failures", .blocking, .serialized, .timeLimit(.minutes(5)))
struct DriverGatewayFaultTests {
    private let gateway: MockedDriverGateway
    private var cluster: MockCluster { gateway.cluster }

    init() async throws { gateway = try await MockedDriverGateway() }

    /// Starts a device that uploads 200 locations.
    private func startUpload() async throws -> Program {
        try gateway.startDevice("driver_upload.py", [GatewayTokens.token(driver: "d1"), "200"])
    }

    /// Posts a location of a second driver, because the uploading driver may have reached the rate limit.
    private func post() async throws -> String {
        try gateway.postLocation("d2", token: GatewayTokens.token(driver: "d2"))
    }

    @Test("During a broker outage no location is acknowledged, and afterwards all locations are acknowledged")
    func acknowledgesNothingDuringAnOutage() async throws {
        defer { gateway.end() }
        cluster.takeDown(broker: 1)
        try await eventually("the gateway is not ready") { !gateway.isReady }
        let device = try await startUpload()
        defer { device.discard() }
        let response = try await post()
        #expect(response.contains("503 2 TRY_AGAIN"), "\(response)")
        #expect(device.isRunning && !device.output.contains("acknowledged"), "\(device.output)")
        cluster.bringUp(broker: 1)
        #expect(try await device.wait() == 0, "\(device.output)")
        #expect(!device.output.contains("lost"), "the device stayed connected")
        try await eventually("the gateway is ready again") { gateway.isReady }
    }

    @Test("A permanent write error closes the device's connection, and the device resends the records")
    func closesConnectionsAfterAPermanentWriteError() async throws {
        defer { gateway.end() }
        cluster.deny(.produce, with: .topicDenied)
        let device = try await startUpload()
        defer { device.discard() }
        try await eventually("the device receives NOT_WRITTEN: \(device.output)") {
            device.output.contains("NOT_WRITTEN")
        }
        #expect(!device.output.contains("\nacknowledged ") && !device.output.hasPrefix("acknowledged "))
        // The device receives the error before each loss of its connection, even while it is sending.
        let errors = device.output.matches(of: /NOT_WRITTEN/).count
        #expect(errors > 0 && device.output.matches(of: /^lost$/.anchorsMatchLineEndings()).count <= errors)
        let response = try await post()
        #expect(response.contains("503 2 NOT_WRITTEN"), "\(response)")
        cluster.heal(.produce)
        #expect(try await device.wait() == 0, "\(device.output)")
        #expect(device.output.contains("lost") && device.output.contains("acknowledged 200"))
        #expect(
            gateway.output.contains("grant this program's user Write on topic"), "the log has the missing permission")
    }

    @Test("A record that the broker rejects as too large gets 413 TOO_LARGE, and the next record is accepted")
    func rejectsRecordsBeyondTheTopicsSizeLimit() async throws {
        defer { gateway.end() }
        cluster.fail(.produce, with: [.messageTooLarge])
        for expected in ["413 None TOO_LARGE", "200 None None"] {
            let response = try await post()
            #expect(response.contains(expected), "\(response)")
        }
    }
}
