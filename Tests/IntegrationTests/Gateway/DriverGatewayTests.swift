import Foundation
import Gateways
import Support
import TestSupport
import Testing

/// Tests of driver-gateway's protocol, most of them in `driver_protocol.py`.
///
/// The script's device shares no code with the gateway.
@Suite(
    "Protocol of driver-gateway", .blocking, .serialized,
    .enabled(if: TestServices.areAvailable, "\(TestServices.hint)"), .timeLimit(.minutes(10)))
struct DriverGatewayTests {
    /// A message with unusual spaces and unknown members, whose exact bytes must arrive in Kafka.
    private static let exact = #"""
        { "type" : "location", "sequence":41,  "app":{"build":7}, "payload":{"latitude":37.7751,"longitude":-122.4183}}
        """#
    private static let partitions = 3

    private static func now() -> Timestamp {
        Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
    }

    /// Returns the script's tokens by name, as JSON; the name of a driver's token is the driver's id.
    private static func tokens() async throws -> String {
        var tokens: [String: String] = [:]
        for driver in [
            "d1", "d2", "exact", "batch", "rejected", "trips", "backlog", "cut", "http", "fast", "of:colon", "followed",
            "marked",
        ] {
            tokens[driver] = try GatewayTokens.token(driver: driver)
        }
        let grant = TokenGrant(driver: "d1", lifetimeSeconds: 3600)
        tokens["backend"] = try GatewayTokens.token(TokenGrant(scopes: ["trips"], lifetimeSeconds: 3600))
        tokens["rider"] = try GatewayTokens.token(TokenGrant(trips: ["*"], lifetimeSeconds: 3600))
        tokens["forged"] = try GatewayTokens.token(grant, secret: GatewayTokens.otherSecret)
        tokens["expired"] = try GatewayTokens.token(TokenGrant(driver: "d1", lifetimeSeconds: 1), age: 60)
        return try GatewayTokens.json(tokens)
    }

    @Test("Acknowledged messages are in Kafka with driver id, unchanged bytes and time of receipt")
    func acknowledgedMessagesAreInKafka() async throws {
        let stack = try await PipelineStack(partitions: Self.partitions)
        defer { stack.end() }
        let start = Self.now()
        let gateway = try await stack.startDriverGateway()
        let limited = try await stack.startDriverGateway([
            "SIGHTLINE_DRIVER_ADDRESS_RATE": "1", "SIGHTLINE_DRIVER_ADDRESS_HEADER": "X-Client",
        ])
        let log = stack.logs.appendingPathComponent("received")
        let result = try WebScript.run(
            "driver_protocol.py", [gateway.address, limited.address, try await Self.tokens(), Self.exact, log.path])
        #expect(result.code == 0, "\(result.output)")
        let report = try AsyncAPIReport("driver-gateway.asyncapi.yaml", log: log)
        report.expectNoProblems()
        #expect(report.unseen == ["location_warning"], "DriverGatewayWarningTests receives these messages")
        try Self.expectLocations(of: stack, from: start)
        try Self.expectTripEvents(of: stack)
    }

    private static func expectLocations(of stack: PipelineStack, from start: Timestamp) throws {
        let locations = try stack.records("driver.locations.raw", partitions: partitions)
        let exact = locations.filter { $0.key == "exact" }
        #expect(exact.map(\.value) == [Self.exact, Self.exact], "one by WebSocket and one by HTTP")
        #expect(locations.allSatisfy { $0.isInPartitionOfKey(of: partitions) })
        #expect(locations.allSatisfy { $0.receivedAt >= start && $0.receivedAt <= now() })
        #expect(locations.filter { $0.key == "backlog" }.compactMap(\.sequence) == Array(1...100), "in order")
        #expect(Set(locations.filter { $0.key == "cut" }.compactMap(\.sequence)) == Set(1...60))
        #expect(locations.filter { $0.key == "rejected" }.count == 1)
        #expect(
            locations.filter { $0.key == "marked" }.map { $0.value.first } == ["{", "{"], "without byte order marks")
        #expect(!locations.contains { $0.key == "d2" })
    }

    private static func expectTripEvents(of stack: PipelineStack) throws {
        let trips = try stack.records("trips", partitions: partitions)
        #expect(trips.allSatisfy { $0.isInPartitionOfKey(of: partitions) })
        #expect(trips.filter { $0.key == "trips" }.count == 3 && trips.filter { $0.key == "http" }.count == 1)
        #expect(trips.filter { $0.key == "b2" }.map { $0.value.contains("ARRIVED") } == [false, true], "in order")
        #expect(trips.filter { $0.key.hasPrefix("b") }.count == 5 && !trips.contains { $0.key.hasPrefix("c") })
        #expect(trips.first { $0.key == "b1" }?.value.contains(#""facts": {"car": "Golf"}"#) == true, "exact bytes")
        #expect(trips.first { $0.key == "trips" }?.value.contains(#""state":"DRIVER_EN_ROUTE""#) == true)
    }

    /// Starts a device that uploads `count` locations, and waits until more than 300 are acknowledged.
    private static func startUpload(
        _ count: Int, to gateway: PipelineStack.Gateway, _ stack: PipelineStack
    ) async throws -> Program {
        let device = try WebScript.start(
            "driver_upload.py", [gateway.address, try GatewayTokens.token(driver: "d1"), String(count)],
            logs: stack.logs)
        do {
            try await eventually("locations are acknowledged; \(device.output.suffix(300))") {
                try #require(device.isRunning, "\(device.output.suffix(1000))")
                return acknowledged(device) > 300
            }
        } catch {
            device.end()
            throw error
        }
        return device
    }

    /// Returns the last acknowledged sequence number, or 0 before the first acknowledgement.
    private static func acknowledged(_ device: Program) -> Int {
        let lines = device.output.split(separator: "\n").filter { $0.hasPrefix("acknowledged ") }
        return lines.last.flatMap { Int($0.dropFirst("acknowledged ".count)) } ?? 0
    }

    @Test("All acknowledged locations are in Kafka after the gateway was killed during an upload")
    func acknowledgedLocationsSurviveAKilledGateway() async throws {
        let stack = try await PipelineStack(partitions: Self.partitions)
        defer { stack.end() }
        let gateway = try await stack.startDriverGateway(["SIGHTLINE_DRIVER_RATE": "2000"])
        let count = 20_000
        let device = try await Self.startUpload(count, to: gateway, stack)
        defer { device.end() }
        gateway.program.send(signal: SIGKILL)
        try await eventually("the gateway has ended") { !gateway.program.isRunning }
        try await eventually("the device detects the disconnect") { device.output.contains("lost") }
        let acknowledged = Self.acknowledged(device)
        #expect(acknowledged < count, "the upload was interrupted")
        let written = Set(
            try stack.records("driver.locations.raw", partitions: Self.partitions).compactMap(\.sequence))
        #expect(written.isSuperset(of: 1...acknowledged))
        try await stack.start("driver-gateway", extra: gateway.settings)
        #expect(try await device.wait() == 0, "\(device.output.suffix(1000))")
        let all = try stack.records("driver.locations.raw", partitions: Self.partitions)
        #expect(Set(all.compactMap(\.sequence)) == Set(1...count))
    }

    @Test("A stopping gateway acknowledges all written locations, and sends the device a reconnect delay")
    func aStoppingGatewayAcknowledgesWrittenLocations() async throws {
        let stack = try await PipelineStack(partitions: Self.partitions)
        defer { stack.end() }
        let gateway = try await stack.startDriverGateway(["SIGHTLINE_DRIVER_RATE": "2000"])
        let device = try await Self.startUpload(20_000, to: gateway, stack)
        defer { device.end() }
        gateway.program.send(signal: SIGTERM)
        #expect(try await gateway.program.wait() == 0, "\(gateway.program.output.suffix(1000))")
        try await eventually("the device detects the disconnect") { device.output.contains("lost") }
        #expect(device.output.contains("SERVER_CLOSING") && device.output.contains("retry_after_ms"))
        let written = try stack.records("driver.locations.raw", partitions: Self.partitions)
            .compactMap(\.sequence).max()
        #expect(written == Self.acknowledged(device), "each written location was acknowledged before the disconnect")
    }

    @Test("The HTTP routes conform to docs/schemas/driver-gateway.openapi.yaml", .nightly)
    func routesConformToTheOpenAPIDocument() async throws {
        let stack = try await PipelineStack(partitions: Self.partitions)
        defer { stack.end() }
        // schemathesis exceeds the default limits; driver_protocol.py tests them.
        let gateway = try await stack.startDriverGateway([
            "SIGHTLINE_DRIVER_RATE": "10000", "SIGHTLINE_DRIVER_ADDRESS_RATE": "0",
        ])
        try await OpenAPICheck.run(
            "driver-gateway.openapi.yaml", at: gateway.address,
            grant: TokenGrant(driver: "drv_1", scopes: ["trips"], lifetimeSeconds: 3600),
            parameters: ["path.id": "drv_1"])
    }
}
