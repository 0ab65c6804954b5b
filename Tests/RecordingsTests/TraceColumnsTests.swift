import Testing

@testable import Domain
@testable import Recordings
@testable import Support

@Suite("Rows of recorded traces")
struct TraceColumnsTests {
    private let header =
        "trace_id,driver_id,timestamp_ms,latitude,longitude,accuracy_m,speed_mps,heading_deg,altitude_m"

    @Test("a full row is read, and empty cells are unknown")
    func rows() throws {
        let columns = try TraceColumns(header: header)
        let full = try columns.row("t,d,1000,1.5,-2.5,4.3,7,90,12")
        #expect(full.traceID == "t" && full.driverID == "d" && full.at == Timestamp(milliseconds: 1000))
        #expect(full.coordinate == Coordinate(latitude: 1.5, longitude: -2.5))
        #expect(full.accuracyMeters == 4.3 && full.speedMetersPerSecond == 7)
        #expect(full.headingDegrees == 90 && full.altitudeMeters == 12 && full.trueCoordinate == nil)
        let sparse = try columns.row("t,,1000,1.5,-2.5,,,,")
        #expect(sparse.driverID == "t" && sparse.accuracyMeters == nil && sparse.altitudeMeters == nil)
    }

    @Test(
        "a row without a valid time or position throws a fault with column, value and allowed values",
        arguments: [
            ("t,d,,1,1", 3, "timestamp_ms is missing"), ("t,d,1,,1", 4, "latitude is missing"),
            ("t,d,1,1", 5, "longitude is missing"), ("", 4, "latitude is missing"),
            ("t,d,1,x,1", 4, #"latitude "x" is not accepted; expected a number"#),
            ("t,d,1,nan,1", 4, #"latitude "nan" is not accepted; expected a number"#),
            ("t,d,1,91,1", 4, "latitude 91 is outside -90 to 90"),
            ("t,d,1,1,-180.5", 5, "longitude -180.5 is outside -180 to 180"),
            (
                "t,d,-1,1,1", 3,
                #"timestamp_ms "-1" is not accepted; expected ISO 8601 with a time zone, such as 2026-03-14T18:32:15Z, or "#
                    + "seconds or milliseconds since 1970"
            ),
            (
                "t,d,2026-03-14T18:32:15,1,1", 3,
                #"timestamp_ms "2026-03-14T18:32:15" has no time zone; expected Z or an offset such as +01:00"#
            ),
        ])
    func unreadable(line: String, column: Int, reason: String) throws {
        let columns = try TraceColumns(header: header)
        let fault = #expect(throws: RowFault.self) { try columns.row(line) }
        #expect(fault?.reason == reason && fault?.column == column)
    }

    @Test("positions at the limits are read", arguments: ["90,180", "-90,-180"])
    func limits(position: String) throws {
        #expect(try TraceColumns(header: header).row("t,d,1,\(position)").traceID == "t")
    }

    @Test("an invalid optional number is ignored and reported")
    func ignoredCells() throws {
        let row = try TraceColumns(header: header).row("t,d,1,1,1,good,7,,n/a")
        #expect(row.accuracyMeters == nil && row.speedMetersPerSecond == 7 && row.altitudeMeters == nil)
        #expect(row.ignored.map(\.name) == ["accuracy_m", "altitude_m"] && row.ignored.map(\.column) == [6, 9])
    }

    @Test("the trace defaults to the driver, and the driver to the file's name")
    func withoutTraces() throws {
        let drivers = try TraceColumns(header: "Time, Lat ,LON,driver", of: "/tmp/own file.csv")
        #expect(try drivers.row("5, 48 ,11,d").traceID == "d")
        #expect(try drivers.row("5,48,11,").driverID == "own-file")
    }

    @Test("columns are recognised by name, in any order")
    func order() throws {
        let columns = try TraceColumns(
            header: "spoofed,longitude,latitude,timestamp_ms,trace_id,true_longitude,true_latitude")
        let row = try columns.row("1,11,48,5,x,11.1,48.1")
        #expect(row.coordinate == Coordinate(latitude: 48, longitude: 11))
        #expect(row.trueCoordinate == Coordinate(latitude: 48.1, longitude: 11.1))
        #expect(columns.hasTruth)
    }

    @Test("a vehicle log is read with common column names and the trip of each row")
    func vehicles() throws {
        let columns = try TraceColumns(header: "vehicle,timestamp,lat,lon,bearing,trip_id,route_id,start_date")
        let row = try columns.row("7,1700000000,48,11,90,t1,r1,20260216")
        #expect(row.traceID == "7" && row.at == Timestamp(milliseconds: 1_700_000_000_000))
        #expect(row.headingDegrees == 90 && row.coordinate == Coordinate(latitude: 48, longitude: 11))
        #expect(row.run == VehicleLog.Label(tripID: "t1", routeID: "r1", startDate: "20260216"))
        #expect(throws: RowFault.self) { try columns.row("7,170000000000000,48,11,90,,,") }
    }

    @Test("a header without required columns throws an error that lists them")
    func wrongHeader() {
        let error = #expect(throws: InputError.self) { try TraceColumns(header: "trace_id,wkt", of: "own.gpx") }
        #expect(error?.description.hasPrefix("own.gpx: expected CSV with columns timestamp_ms") == true)
        #expect(error?.description.contains("timestamp_ms, latitude, longitude") == true)
    }

    @Test("quoted cells may contain commas and quotes")
    func quotes() {
        #expect(CSVLine.cells("a,\"b,c\",d") == ["a", "b,c", "d"])
        #expect(CSVLine.cells("\"say \"\"hi\"\"\",x") == ["say \"hi\"", "x"])
        #expect(CSVLine.cells("a,,") == ["a", "", ""])
    }
}
