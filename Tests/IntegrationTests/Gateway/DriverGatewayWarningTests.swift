import Domain
import Foundation
import TestSupport
import Testing

@Suite(
    "Warnings that driver-gateway sends", .blocking, .serialized,
    .enabled(if: TestServices.areAvailable, "\(TestServices.hint)"), .timeLimit(.minutes(10)))
struct DriverGatewayWarningTests {
    private static let partitions = 3

    private struct Warning: Decodable {
        var type: String
        var payload: [String: String]
    }

    private static func payloads(_ device: Program) -> [[String: String]] {
        device.output.split(separator: "\n").compactMap { line in
            let warning = try? JSONDecoder().decode(Warning.self, from: Data(line.utf8))
            return warning?.type == "location_warning" ? warning?.payload : nil
        }
    }

    /// Returns the warnings that a device has received, as `CODE ACTION`.
    private static func received(_ device: Program) -> [String] {
        payloads(device).map { "\($0["warning_code"] ?? "") \($0["action"] ?? "")" }
    }

    /// Starts a device that sends `messages` and prints what it receives.
    private static func startDevice(
        _ gateway: PipelineStack.Gateway, _ driver: String, _ stack: PipelineStack, sending messages: [String] = []
    ) async throws -> Program {
        let token = try GatewayTokens.token(driver: driver)
        return try WebScript.start("driver_warnings.py", [gateway.address, token] + messages, logs: stack.logs)
    }

    /// Writes rate warnings until each device has received a warning.
    ///
    /// The gateway starts reading a partition at its end, so it may not send the first warnings.
    private static func waitForWarnings(
        _ devices: [Program], of driver: String, _ warnings: WarningProducer
    ) async throws {
        try await eventually("the devices receive warnings: \(devices.map(\.output))") {
            for device in devices { try #require(device.isRunning, "\(device.output.suffix(1000))") }
            try warnings.send(driver, .rateLimited, .none)
            try warnings.send(driver, .rateLimited, .resolved)
            return devices.allSatisfy { received($0).contains("RATE_LIMITED NONE") }
        }
    }

    /// Returns the warnings that a device has received, except those of ``waitForWarnings(_:of:_:)``.
    private static func receivedOthers(_ device: Program) -> [String] {
        received(device).filter { !$0.hasPrefix("RATE") }
    }

    @Test("Each device of a driver receives permitted warnings once and in order; other drivers' devices do not")
    func devicesReceiveTheirDriversWarnings() async throws {
        let stack = try await PipelineStack(partitions: Self.partitions)
        defer { stack.end() }
        let gateway = try await stack.startDriverGateway()
        let warnings = try WarningProducer(stack, partitions: Self.partitions)
        try warnings.send("d1", .nullIsland, .reject)
        let devices = [
            try await Self.startDevice(gateway, "d1", stack), try await Self.startDevice(gateway, "d1", stack),
        ]
        defer { for device in devices { device.end() } }
        let other = try await Self.startDevice(gateway, "d2", stack)
        defer { other.end() }
        try await Self.waitForWarnings(devices, of: "d1", warnings)
        try await Self.waitForWarnings([other], of: "d2", warnings)
        try warnings.send("d1", .mockLocation, .reject, times: 2)
        // These codes would help a spoofing driver, so devices do not receive them.
        let withheld: [Reasons] = [.teleportation, .replayedTrack, .flagged, .accuracyAnomaly]
        for reason in withheld { try warnings.send("d1", reason, .flag) }
        for reason in withheld + [.mockLocation] { try warnings.send("d1", reason, .resolved) }
        try warnings.send("d1", .clockSkew, .reject)
        let expected = ["MOCK_LOCATION REJECT", "MOCK_LOCATION RESOLVED", "CLOCK_SKEW REJECT"]
        try await eventually("both devices receive the last warning: \(devices.map(Self.received))") {
            devices.allSatisfy { Self.receivedOthers($0).last == expected.last }
        }
        for device in devices {
            #expect(Self.receivedOthers(device) == expected)
            for payload in Self.payloads(device) {
                #expect(Set(payload.keys) == ["warning_code", "action", "message"])
                #expect(payload["message"]?.contains { $0.isNumber } == false, "\(payload)")
            }
        }
        let log = stack.logs.appendingPathComponent("received")
        try Data(devices[0].output.utf8).write(to: log)
        let report = try AsyncAPIReport("driver-gateway.asyncapi.yaml", log: log)
        report.expectNoProblems()
        #expect(report.seen.contains("location_warning"), "\(report)")
        #expect(Self.receivedOthers(other).isEmpty)
        let late = try await Self.startDevice(gateway, "d1", stack)
        defer { late.end() }
        try await Self.waitForWarnings([late], of: "d1", warnings)
        #expect(Self.receivedOthers(late).isEmpty, "warnings from before the connection are not sent")
    }

    @Test("A device that reports a mock position receives a warning from the pipeline; another driver's does not")
    func aDeviceReceivesAWarningAboutItsMockPosition() async throws {
        let stack = try await PipelineStack(partitions: 1)
        defer { stack.end() }
        try await stack.start("location-worker")
        let gateway = try await stack.startDriverGateway()
        // Once this device has received a warning, the gateway reads the only partition.
        let other = try await Self.startDevice(gateway, "d1", stack)
        defer { other.end() }
        try await Self.waitForWarnings([other], of: "d1", try WarningProducer(stack, partitions: 1))
        let device = try await Self.startDevice(
            gateway, "d2", stack,
            sending: [#"{"type":"location","sequence":1,"payload":{"latitude":1,"longitude":2,"is_mock":true}}"#])
        defer { device.end() }
        try await eventually("the device receives the warning: \(device.output)") {
            try #require(device.isRunning, "\(device.output.suffix(1000))")
            return Self.received(device) == ["MOCK_LOCATION REJECT"]
        }
        #expect(Self.receivedOthers(other).isEmpty)
    }
}
