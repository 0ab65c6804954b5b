import ChildProcesses
import Foundation
import Gateways
import Support
import TestSupport
import Testing

/// With a device in Python; its promises are in `driver_protocol.py`.
@Suite(
    "What driver-gateway promises to devices", .blocking, .serialized,
    .enabled(if: TestServices.areAvailable, "\(TestServices.hint)"), .timeLimit(.minutes(10)))
struct DriverGatewayTests {
    /// With spaces and members that nothing reads, to be found again byte for byte.
    private static let exact = #"""
        { "type" : "location", "sequence":41,  "app":{"build":7}, "payload":{"latitude":37.7751,"longitude":-122.4183}}
        """#
    private static let partitions = 3

    private static func now() -> Timestamp {
        Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
    }

    /// By the names that the script uses; those of drivers have the driver's id.
    private static func tokens() async throws -> String {
        var tokens: [String: String] = [:]
        for driver in [
            "d1", "d2", "exact", "batch", "refused", "trips", "backlog", "cut", "http", "fast", "of:colon", "followed",
            "marked",
        ] {
            tokens[driver] = try await GatewayTokens.token(driver: driver)
        }
        let grant = TokenGrant(driver: "d1", lifetimeSeconds: 3600)
        tokens["backend"] = try await GatewayTokens.token(TokenGrant(scopes: ["trips"], lifetimeSeconds: 3600))
        tokens["rider"] = try await GatewayTokens.token(TokenGrant(trips: ["*"], lifetimeSeconds: 3600))
        tokens["forged"] = try await GatewayTokens.token(grant, secret: GatewayTokens.otherSecret)
        tokens["expired"] = try await GatewayTokens.token(TokenGrant(driver: "d1", lifetimeSeconds: 1), age: 60)
        return try GatewayTokens.json(tokens)
    }

    /// Starts a gateway, and returns where devices connect.
    private static func start(
        _ stack: PipelineStack, _ extra: [String: String] = [:]
    ) async throws -> (worker: PipelineStack.Worker, address: String, settings: [String: String]) {
        let port = try FreePort.take()
        let settings = ["SIGHTLINE_DRIVER_PORT": String(port), "SIGHTLINE_TOKEN_SECRET": GatewayTokens.secret]
            .merging(extra) { $1 }
        return (try await stack.start("driver-gateway", extra: settings), "127.0.0.1:\(port)", settings)
    }

    private static func records(_ topic: String, of stack: PipelineStack) throws -> [WrittenRecord] {
        try WrittenRecord.all(
            of: "\(stack.name).\(topic)", on: stack.environment["KAFKA_BOOTSTRAP_SERVERS"] ?? "",
            partitions: partitions)
    }

    @Test("hold, and what is acknowledged is in Kafka with its driver, its bytes and the time of receipt")
    func promises() async throws {
        let stack = try await PipelineStack(partitions: Self.partitions)
        defer { stack.end() }
        let begun = Self.now()
        let gateway = try await Self.start(stack)
        let limited = try await Self.start(
            stack,
            ["SIGHTLINE_DRIVER_ADDRESS_RATE": "1", "SIGHTLINE_DRIVER_ADDRESS_HEADER": "X-Client"])
        let log = stack.logs.appendingPathComponent("received")
        let answer = try WebScript.run(
            "driver_protocol.py", [gateway.address, limited.address, try await Self.tokens(), Self.exact, log.path])
        #expect(answer.code == 0, "\(answer.output)")
        let report = try AsyncAPIReport("driver-gateway.asyncapi.yaml", log: log)
        #expect(report.problems.isEmpty, "\(report.problems.joined(separator: "\n"))")
        #expect(report.unseen == ["location_warning"], "DriverGatewayWarningTests has these")
        let locations = try Self.records("driver.locations.raw", of: stack)
        let exact = locations.filter { $0.key == "exact" }
        #expect(exact.map(\.value) == [Self.exact, Self.exact], "by WebSocket and by request")
        #expect(locations.allSatisfy { $0.isInPartitionOfKey(of: Self.partitions) })
        #expect(locations.allSatisfy { $0.receivedAt >= begun && $0.receivedAt <= Self.now() })
        #expect(locations.filter { $0.key == "backlog" }.compactMap(\.sequence) == Array(1...100), "in order")
        #expect(Set(locations.filter { $0.key == "cut" }.compactMap(\.sequence)) == Set(1...60))
        #expect(locations.filter { $0.key == "refused" }.count == 1)
        #expect(
            locations.filter { $0.key == "marked" }.map { $0.value.first } == ["{", "{"], "without byte order marks")
        #expect(!locations.contains { $0.key == "d2" })
        let trips = try Self.records("trips", of: stack)
        #expect(trips.allSatisfy { $0.isInPartitionOfKey(of: Self.partitions) })
        #expect(trips.filter { $0.key == "trips" }.count == 3 && trips.filter { $0.key == "http" }.count == 1)
        #expect(trips.filter { $0.key == "b2" }.map { $0.value.contains("ARRIVED") } == [false, true], "in order")
        #expect(trips.filter { $0.key.hasPrefix("b") }.count == 5 && !trips.contains { $0.key.hasPrefix("c") })
        #expect(trips.first { $0.key == "b1" }?.value.contains(#""facts": {"car": "Golf"}"#) == true, "as it was sent")
        #expect(trips.first { $0.key == "trips" }?.value.contains(#""state":"DRIVER_EN_ROUTE""#) == true)
    }

    @Test("hold when the gateway is killed in the middle of an upload: all that was acknowledged is in Kafka")
    func kill() async throws {
        let stack = try await PipelineStack(partitions: Self.partitions)
        defer { stack.end() }
        let gateway = try await Self.start(stack, ["SIGHTLINE_DRIVER_RATE": "2000"])
        let count = 20_000
        let device = try WebScript.start(
            "driver_upload.py",
            [gateway.address, try await GatewayTokens.token(driver: "d1"), String(count)], logs: stack.logs)
        defer { device.end() }
        try await eventually("some is acknowledged; \(device.output.suffix(300))") {
            try #require(device.isRunning, "\(device.output.suffix(1000))")
            return Self.acknowledged(device) > 300
        }
        gateway.worker.program.send(signal: SIGKILL)
        try await eventually("the gateway is gone") { !gateway.worker.program.isRunning }
        try await eventually("the device has noticed") { device.output.contains("lost") }
        let acknowledged = Self.acknowledged(device)
        #expect(acknowledged < count, "the upload was cut off in the middle")
        let written = Set(try Self.records("driver.locations.raw", of: stack).compactMap(\.sequence))
        #expect(written.isSuperset(of: 1...acknowledged))
        try await stack.start("driver-gateway", extra: gateway.settings)
        #expect(try await device.wait() == 0, "\(device.output.suffix(1000))")
        let all = try Self.records("driver.locations.raw", of: stack)
        #expect(Set(all.compactMap(\.sequence)) == Set(1...count))
    }

    private static func acknowledged(_ device: Program) -> Int {
        let lines = device.output.split(separator: "\n").filter { $0.hasPrefix("acknowledged ") }
        return lines.last.flatMap { Int($0.dropFirst("acknowledged ".count)) } ?? 0
    }

    @Test("hold when a gateway is told to stop: what was sent is acknowledged, and the device told when to come back")
    func stop() async throws {
        let stack = try await PipelineStack(partitions: Self.partitions)
        defer { stack.end() }
        let gateway = try await Self.start(stack, ["SIGHTLINE_DRIVER_RATE": "2000"])
        let device = try WebScript.start(
            "driver_upload.py",
            [gateway.address, try await GatewayTokens.token(driver: "d1"), "20000"], logs: stack.logs)
        defer { device.end() }
        try await eventually("some is acknowledged; \(device.output.suffix(300))") {
            try #require(device.isRunning, "\(device.output.suffix(1000))")
            return Self.acknowledged(device) > 300
        }
        gateway.worker.program.send(signal: SIGTERM)
        #expect(try await gateway.worker.program.wait() == 0, "\(gateway.worker.program.output.suffix(1000))")
        try await eventually("the device has noticed") { device.output.contains("lost") }
        #expect(device.output.contains("SERVER_CLOSING") && device.output.contains("retry_after_ms"))
        // Nothing is written that the device was not told of before it was told to leave.
        let written = try Self.records("driver.locations.raw", of: stack).compactMap(\.sequence).max()
        #expect(written == Self.acknowledged(device))
    }

    @Test("is what docs/schemas/driver-gateway.openapi.yaml describes", .nightly)
    func interface() async throws {
        let stack = try await PipelineStack(partitions: Self.partitions)
        defer { stack.end() }
        // The check asks more than a device does; DriverGatewayFaultTests and driver_protocol.py have limits.
        let gateway = try await Self.start(
            stack, ["SIGHTLINE_DRIVER_RATE": "10000", "SIGHTLINE_DRIVER_ADDRESS_RATE": "0"])
        try await OpenAPICheck.run(
            "driver-gateway.openapi.yaml", at: gateway.address,
            grant: TokenGrant(driver: "drv_1", scopes: ["trips"], lifetimeSeconds: 3600),
            parameters: ["path.id": "drv_1"])
    }
}
