import ChildProcesses
import Domain
import Foundation
import TestSupport
import Testing

@Suite(
    "Warnings that driver-gateway tells", .blocking, .serialized,
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

    /// The warnings that a device has printed, as `CODE ACTION`.
    private static func told(_ device: Program) -> [String] {
        payloads(device).map { "\($0["warning_code"] ?? "") \($0["action"] ?? "")" }
    }

    /// Starts a device, which sends these messages.
    private static func device(
        _ address: String, _ driver: String, _ stack: PipelineStack, sends messages: [String] = []
    ) async throws -> Program {
        let token = try await GatewayTokens.token(driver: driver)
        return try WebScript.start("driver_warnings.py", [address, token] + messages, logs: stack.logs)
    }

    /// Starts a gateway, and returns where devices connect.
    private static func gateway(_ stack: PipelineStack) async throws -> String {
        let port = try FreePort.take()
        try await stack.start(
            "driver-gateway",
            extra: ["SIGHTLINE_DRIVER_PORT": String(port), "SIGHTLINE_TOKEN_SECRET": GatewayTokens.secret])
        return "127.0.0.1:\(port)"
    }

    /// Warns of a rate, which begins and ends, until all devices are told of it: a partition is read from its end, and
    /// what was written before it is read is not told.
    private static func awaken(_ devices: [Program], of driver: String, _ log: WarningLog) async throws {
        try await eventually("the devices are told: \(devices.map(\.output))") {
            for device in devices { try #require(device.isRunning, "\(device.output.suffix(1000))") }
            try log.tell(driver, .rateLimited, .none)
            try log.tell(driver, .rateLimited, .resolved)
            return devices.allSatisfy { told($0).contains("RATE_LIMITED NONE") }
        }
    }

    /// What a device was told besides the rate.
    private static func news(_ device: Program) -> [String] { told(device).filter { !$0.hasPrefix("RATE") } }

    @Test("reach each device of the driver once and in order, without what would teach a forger, and no one else")
    func warnings() async throws {
        let stack = try await PipelineStack(partitions: Self.partitions)
        defer { stack.end() }
        let address = try await Self.gateway(stack)
        let log = try WarningLog(stack, partitions: Self.partitions)
        try log.tell("d1", .nullIsland, .reject)
        let devices = [try await Self.device(address, "d1", stack), try await Self.device(address, "d1", stack)]
        defer { for device in devices { device.end() } }
        let other = try await Self.device(address, "d2", stack)
        defer { other.end() }
        try await Self.awaken(devices, of: "d1", log)
        try await Self.awaken([other], of: "d2", log)
        try log.tell("d1", .mockLocation, .reject, times: 2)
        for reason in [Reasons.teleportation, .replayedTrack, .flagged, .accuracyAnomaly] {
            try log.tell("d1", reason, .flag)
        }
        for reason in [Reasons.teleportation, .replayedTrack, .flagged, .accuracyAnomaly, .mockLocation] {
            try log.tell("d1", reason, .resolved)
        }
        try log.tell("d1", .clockSkew, .reject)
        let expected = ["MOCK_LOCATION REJECT", "MOCK_LOCATION RESOLVED", "CLOCK_SKEW REJECT"]
        try await eventually("both devices are told: \(devices.map(Self.told))") {
            devices.allSatisfy { Self.news($0).last == expected.last }
        }
        for device in devices {
            #expect(Self.news(device) == expected)
            for payload in Self.payloads(device) {
                #expect(Set(payload.keys) == ["warning_code", "action", "message"])
                #expect(payload["message"]?.contains { $0.isNumber } == false, "\(payload)")
            }
        }
        let received = stack.logs.appendingPathComponent("received")
        try Data(devices[0].output.utf8).write(to: received)
        let report = try AsyncAPIReport("driver-gateway.asyncapi.yaml", log: received)
        #expect(report.problems.isEmpty && report.seen.contains("location_warning"), "\(report)")
        #expect(Self.news(other).isEmpty)
        let late = try await Self.device(address, "d1", stack)
        defer { late.end() }
        try await Self.awaken([late], of: "d1", log)
        #expect(Self.news(late).isEmpty, "what was told before it connected")
    }

    @Test("come from what the device itself has sent: one whose position is mocked is told so")
    func pipeline() async throws {
        let stack = try await PipelineStack(partitions: 1)
        defer { stack.end() }
        try await stack.start("location-worker")
        let address = try await Self.gateway(stack)
        // So that the partition is read, in which all drivers are.
        let other = try await Self.device(address, "d1", stack)
        defer { other.end() }
        try await Self.awaken([other], of: "d1", try WarningLog(stack, partitions: 1))
        let device = try await Self.device(
            address, "d2", stack,
            sends: [#"{"type":"location","sequence":1,"payload":{"latitude":1,"longitude":2,"is_mock":true}}"#])
        defer { device.end() }
        try await eventually("the device is told: \(device.output)") {
            try #require(device.isRunning, "\(device.output.suffix(1000))")
            return Self.told(device) == ["MOCK_LOCATION REJECT"]
        }
        #expect(Self.news(other).isEmpty)
    }
}
