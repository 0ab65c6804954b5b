import Testing
import Tracking

@testable import Recordings

@Suite("Rows of recorded traces")
struct TraceColumnsTests {
    private let header =
        "trace_id,driver_id,timestamp_ms,latitude,longitude,accuracy_m,speed_mps,heading_deg,altitude_m"

    @Test("a full row is read, and empty cells mean that nothing is known")
    func rows() throws {
        let columns = try TraceColumns(header: header)
        let full = try #require(columns.row("t,d,1000,1.5,-2.5,4.3,7,90,12"))
        #expect(full.traceID == "t" && full.driverID == "d" && full.at == Timestamp(milliseconds: 1000))
        #expect(full.coordinate == Coordinate(latitude: 1.5, longitude: -2.5))
        #expect(full.accuracyMeters == 4.3 && full.speedMetersPerSecond == 7)
        #expect(full.headingDegrees == 90 && full.altitudeMeters == 12 && full.trueCoordinate == nil)
        let sparse = try #require(columns.row("t,,1000,1.5,-2.5,,,,"))
        #expect(sparse.driverID == "t" && sparse.accuracyMeters == nil && sparse.altitudeMeters == nil)
    }

    @Test(
        "a row without trace, time or position is none",
        arguments: [
            ",d,1,1,1", "t,d,,1,1", "t,d,1,,1", "t,d,1,1", "t,d,1,x,1", "t,d,1,nan,1", "t,d,-1,1,1",
            "t,d,9223372036854775807,1,1", "",
        ])
    func unreadable(line: String) throws {
        #expect(try TraceColumns(header: header).row(line) == nil)
    }

    @Test("columns are found by name, in any order and among others")
    func order() throws {
        let columns = try TraceColumns(
            header: "spoofed,longitude,latitude,timestamp_ms,trace_id,true_longitude,true_latitude")
        let row = try #require(columns.row("1,11,48,5,x,11.1,48.1"))
        #expect(row.coordinate == Coordinate(latitude: 48, longitude: 11))
        #expect(row.trueCoordinate == Coordinate(latitude: 48.1, longitude: 11.1))
        #expect(columns.hasTruth)
    }

    @Test("a log of vehicles is read with the names that collectors use, and with the runs it names")
    func vehicles() throws {
        let columns = try TraceColumns(header: "vehicle,timestamp,lat,lon,bearing,trip_id,route_id,start_date")
        let row = try #require(columns.row("7,1700000000,48,11,90,t1,r1,20260216"))
        #expect(row.traceID == "7" && row.at == Timestamp(milliseconds: 1_700_000_000_000))
        #expect(row.headingDegrees == 90 && row.coordinate == Coordinate(latitude: 48, longitude: 11))
        #expect(row.run == VehicleLog.Label(tripID: "t1", routeID: "r1", startDate: "20260216"))
        #expect(columns.row("7,170000000000000,48,11,90,,,") == nil)
    }

    @Test("a header without the columns needed is refused by name")
    func wrongHeader() {
        let error = #expect(throws: InputError.self) { try TraceColumns(header: "trace_id,wkt") }
        #expect(error?.description.contains("timestamp_ms, latitude, longitude") == true)
    }

    @Test("quoted cells may hold commas and quotes")
    func quotes() {
        #expect(CSVLine.cells("a,\"b,c\",d") == ["a", "b,c", "d"])
        #expect(CSVLine.cells("\"say \"\"hi\"\"\",x") == ["say \"hi\"", "x"])
        #expect(CSVLine.cells("a,,") == ["a", "", ""])
    }
}
