import Foundation
import Testing

@testable import Domain
@testable import Recordings
@testable import Support

struct VehicleLogTests {
    private static func read(_ text: String) throws -> VehicleLog {
        let file = FileManager.default.temporaryDirectory.appending(path: "log-\(UUID().uuidString).csv")
        try Data(text.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        return try VehicleLog.read(path: file.path)
    }

    @Test("each readable row of a vehicle log has its trip, and unreadable rows are counted")
    func positions() throws {
        let log = try Self.read(
            """
            vehicle_id,timestamp_ms,latitude,longitude,speed_mps,heading_deg,route_id,direction_id,trip_id,start_date
            7,1771257489000,38.92,-77.05,0,,C53,0,T1,20260216
            8,1771257490000,38.93,-77.05,4.5,90,,,,
            7,1771257519000,38.94,-77.05,5,10,C53,0,T2,20260216
            9,1771257519000,98.94,-77.05,5,10,C53,0,T2,20260216
            9,soon,38.94,-77.05,5,10,C53,0,T2,20260216

            """)
        #expect(log.vehicles.map(\.trace.id) == ["7", "8"])
        #expect(log.vehicles[0].labels.map(\.tripID) == ["T1", "T2"])
        #expect(log.vehicles[0].labels[0] == .init(tripID: "T1", routeID: "C53", startDate: "20260216"))
        #expect(log.vehicles[1].labels == [.init()])
        #expect(log.vehicles[1].trace.fixes[0].speedMetersPerSecond == 4.5)
        #expect(log.vehicles[0].trace.fixes[0].headingDegrees == nil)
        #expect(log.unreadable == 2)
        #expect(log.tripIDs == ["T1", "T2"])
    }

    @Test("a file of traces is read with ground truth and spoofing marks")
    func traces() throws {
        let log = try Self.read(
            """
            trace_id,driver_id,timestamp_ms,latitude,longitude,accuracy_m,true_latitude,true_longitude,spoofed
            a,d,1000,1,2,5,1.5,2.5,0
            a,d,2000,1,2,5,,,1

            """)
        #expect(log.vehicles.count == 1 && log.tripIDs.isEmpty)
        let trace = log.vehicles[0].trace
        #expect(trace.driverID == "d" && trace.isSpoofed == [false, true])
        #expect(trace.truth == [Coordinate(latitude: 1.5, longitude: 2.5), nil])
        #expect(log.vehicles[0].labels.count == trace.fixes.count)
    }

    @Test("other column names and times in seconds are accepted")
    func otherNames() throws {
        let log = try Self.read("vehicle,timestamp,lat,lon,bearing\nx,1771257489,38.92,-77.05,400\n")
        let fix = try #require(log.vehicles.first?.trace.fixes.first)
        #expect(fix.deviceAt == Timestamp(milliseconds: 1_771_257_489_000))
        #expect(fix.headingDegrees == nil)
    }

    @Test("reading a file of another format throws an error that lists the missing columns")
    func otherFormat() throws {
        let error = #expect(throws: InputError.self) { try Self.read("trace_id,wkt\na,b\n") }
        #expect(error?.description.contains("timestamp_ms, latitude, longitude") == true)
        #expect(throws: InputError.self) { try Self.read("") }
    }
}
