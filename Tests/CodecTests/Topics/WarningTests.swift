import Testing

@testable import Codec
@testable import Domain
@testable import Support

@Suite("Warnings")
struct WarningTests {
    private let reader = WarningReader()

    private func write(_ warning: LocationWarning, risk: Double = 0.97) -> String {
        written { writer in
            ByteSlice.withBytes(of: "drv_17") {
                WarningWriter.write(
                    event: EventID(partition: 3, offset: 184_467).withMessage(1), driverID: $0, warning: warning,
                    risk: risk,
                    at: Timestamp(milliseconds: 1_741_977_135_123), into: &writer)
            }
        }
    }

    @Test("a warning is written in the wire format")
    func golden() {
        let warning = LocationWarning(
            reason: .teleportation, action: .reject,
            evidence: .init(distanceMeters: 4213, seconds: 3, speedMetersPerSecond: 1404.33))
        #expect(
            write(warning) == """
                {"type":"location_warning","event_id":"3-184467/1","driver_id":"drv_17","payload":{"warning_code":\
                "TELEPORTATION","action":"REJECT","message":"Moved 4.2 km in 3.0 s","evidence":{"distance_meters":4213,\
                "seconds":3,"speed_mps":1404.33},"risk":0.97},"server_timestamp":"2025-03-14T18:32:15.123Z"}
                """)
    }

    @Test(
        "messages are sentences with the evidence's numbers",
        arguments: [
            (LocationWarning.Evidence(distanceMeters: 999.4, seconds: 0.25), "Moved 999 m in 0.3 s"),
            (.init(distanceMeters: 1000, seconds: 12), "Moved 1.0 km in 12.0 s"),
            (.init(distanceMeters: 12_345, seconds: 61.04), "Moved 12.3 km in 61.0 s"),
            (
                .init(accuracyMeters: 140, fixes: 20),
                "The platform says that the position is mocked, accuracy 140.0 m, over 20 fixes"
            ),
            (.init(fixes: 1), "The platform says that the position is mocked"),
        ])
    func messages(evidence: LocationWarning.Evidence, message: String) throws {
        let text = write(LocationWarning(reason: .mockLocation, action: .flag, evidence: evidence))
        #expect(text.contains("\"message\":\"\(message)\""))
    }

    @Test("every reason has a unique sentence")
    func sentences() {
        let messages = Reasons.all.map { _, reason in
            json { WarningMessage.write(LocationWarning(reason: reason, action: .flag), into: &$0) }
        }
        #expect(Set(messages).count == Reasons.all.count)
        #expect(messages.allSatisfy { !$0.contains("\"") && !$0.contains("\\") })
    }

    @Test("every reason, action and evidence is read back")
    func roundTrip() throws {
        for (_, reason) in Reasons.all {
            for action in LocationWarning.Action.allCases {
                let evidence = LocationWarning.Evidence(
                    distanceMeters: 12.25, seconds: 3.125, speedMetersPerSecond: 4.5, accuracyMeters: 5.75, fixes: 6)
                let text = write(LocationWarning(reason: reason, action: action, evidence: evidence), risk: 0.125)
                try ByteSlice.withBytes(of: text) {
                    let record = try #require(reader.read($0))
                    #expect(record.eventID == EventID(partition: 3, offset: 184_467).withMessage(1))
                    #expect(record.driverID == "drv_17")
                    #expect(record.warning.reason == reason)
                    #expect(record.warning.action == action)
                    #expect(record.warning.evidence.distanceMeters == 12.25)
                    #expect(record.warning.evidence.seconds == 3.125)
                    #expect(record.warning.evidence.speedMetersPerSecond == 4.5)
                    #expect(record.warning.evidence.accuracyMeters == 5.75)
                    #expect(record.warning.evidence.fixes == 6)
                    #expect(record.risk == 0.125)
                    #expect(record.at == Timestamp(milliseconds: 1_741_977_135_123))
                    #expect(!record.message.isEmpty)
                }
            }
        }
    }

    @Test("damaged warnings do not crash the reader, and at least one per byte is unreadable")
    func damage() {
        let text = write(LocationWarning(reason: .suspect, action: .review))
        var unreadable = 0
        forEachDamage(of: text) { if reader.read($0) == nil { unreadable += 1 } }
        #expect(unreadable >= text.utf8.count)
    }
}
