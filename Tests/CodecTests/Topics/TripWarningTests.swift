import Testing

@testable import Codec
@testable import Domain
@testable import Support

@Suite("Warnings about trips")
struct TripWarningTests {
    private let reader = TripWarningReader()
    private let at = Timestamp(milliseconds: 1_741_977_135_123)

    private func write(_ warning: TripWarning, trip: String = "tr_4e5f") -> String {
        written { writer in
            ByteSlice.withBytes(of: trip) { trip in
                ByteSlice.withBytes(of: "drv_17") {
                    TripWarningWriter.write(
                        event: EventID(partition: 3, offset: 184_467), tripID: trip, driverID: $0, warning: warning,
                        at: at, into: &writer)
                }
            }
        }
    }

    private var begun: TripWarning {
        TripWarning(
            code: .routeDeviation, beganAt: at.advanced(bySeconds: -15), greatestMeters: 120.25,
            coordinate: Coordinate(latitude: 37.775, longitude: -122.4183))
    }

    private var ended: TripWarning {
        var warning = begun
        (warning.endedAt, warning.ending, warning.coordinate) = (at.advanced(bySeconds: 45.4), .returned, nil)
        return warning
    }

    @Test("a warning is written in the wire format")
    func golden() {
        #expect(
            write(begun) == """
                {"type":"trip_warning","event_id":"3-184467","trip_id":"tr_4e5f","driver_id":"drv_17","payload":\
                {"warning_code":"ROUTE_DEVIATION","resolved":false,"message":"Left the planned route: 120 m away.",\
                "began_at":"2025-03-14T18:32:00.123Z","greatest_meters":120.3,"latitude":37.775,"longitude":-122.4183},\
                "server_timestamp":"2025-03-14T18:32:15.123Z"}
                """)
    }

    @Test("a resolved warning has its start, greatest distance and cause")
    func goldenEnd() {
        #expect(
            write(ended).contains(
                """
                "resolved":true,"message":"Back on the planned route after 60 s; at most 120 m away.","began_at":\
                "2025-03-14T18:32:00.123Z","ended_at":"2025-03-14T18:33:00.523Z","ended_by":"RETURNED",\
                "greatest_meters":120.3}
                """))
    }

    @Test("a written warning is read back")
    func roundTrip() throws {
        for ending in [nil] + TripWarning.Ending.allCases.map(Optional.some) {
            var warning = ending == nil ? begun : ended
            (warning.ending, warning.greatestMeters) = (ending, 120.3)
            let text = write(warning)
            try ByteSlice.withBytes(of: text) {
                let record = try #require(reader.read($0), "\(text)")
                #expect(record.warning == warning)
                #expect(record.eventID == EventID(partition: 3, offset: 184_467))
                #expect(record.tripID.string == "tr_4e5f" && record.driverID.string == "drv_17")
                #expect(record.at == at)
            }
        }
    }

    @Test("records with invalid members and many damaged records are unreadable")
    func unreadable() {
        let text = write(begun)
        for broken in [
            text.replacing("\"resolved\":false", with: "\"resolved\":true"), text.replacing("tr_4e5f", with: "a b"),
            text.replacing("ROUTE_DEVIATION", with: "WEATHER"), "{}", "",
        ] {
            #expect(ByteSlice.withBytes(of: broken) { reader.read($0) == nil }, "\(broken)")
        }
        var unreadable = 0
        forEachDamage(of: text) { if reader.read($0) == nil { unreadable += 1 } }
        #expect(unreadable > text.utf8.count / 2)
    }
}
