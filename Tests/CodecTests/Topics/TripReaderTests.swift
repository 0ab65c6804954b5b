import TestSupport
import Testing

@testable import Codec
@testable import Domain
@testable import Support

@Suite("Reading trips")
struct TripReaderTests {
    private let reader = TripReader()

    private static let ride = """
        {"trip_id":"tr_4e5f","driver_id":"drv_17","rider_id":"usr_9","kind":"ride","state":"ACCEPTED",\
        "triggered_by":"DRIVER","changed_at":"2025-03-14T18:32:15.123Z","version":12,"stops":[{"stop_id":"pickup",\
        "kind":"PICKUP","latitude":38.5,"longitude":-120.2,"scheduled_at":"2025-03-14T18:40:00Z"},{"stop_id":"dropoff",\
        "kind":"DROPOFF","latitude":43.252,"longitude":-126.453}],"route":{"polyline":"_p~iF~ps|U_ulLnnqC_mqNvxq`@",\
        "precision":5,"distance_meters":12400,"duration_seconds":1280},"route_id":null,"context":{}}
        """

    private func read(_ value: String, key: String = "drv_17") -> TripReadResult {
        ByteSlice.withBytes(of: key) { key in ByteSlice.withBytes(of: value) { reader.read(key: key, value: $0) } }
    }

    private func trip(_ value: String, key: String = "drv_17") -> TripMessage? {
        if case .trip(let trip) = read(value, key: key) { trip } else { nil }
    }

    private func refusal(_ value: String, key: String = "drv_17") -> String? {
        if case .unreadable(let reason, let detail) = read(value, key: key) { "\(reason.code) \(detail)" } else { nil }
    }

    private func with(_ members: String) -> String {
        "{\"trip_id\":\"t\",\"state\":\"ACCEPTED\",\(members)}"
    }

    @Test("a ride is read with all its fields")
    func ride() throws {
        let trip = try #require(self.trip(Self.ride))
        #expect(trip.tripID == "tr_4e5f")
        #expect(trip.driverID == "drv_17")
        #expect(trip.riderID == "usr_9")
        #expect(trip.kind == .ride)
        #expect(trip.state == .accepted)
        #expect(trip.triggeredBy == "DRIVER")
        #expect(trip.changedAt == Timestamp(milliseconds: 1_741_977_135_123))
        #expect(trip.version == 12)
        #expect(trip.stops.map(\.id) == ["pickup", "dropoff"])
        #expect(trip.stops.map(\.kind) == [.pickup, .dropoff])
        #expect(trip.stops[0].coordinate == Coordinate(latitude: 38.5, longitude: -120.2))
        #expect(trip.stops[0].scheduledAt == Timestamp(milliseconds: 1_741_977_600_000))
        #expect(trip.stops[1].scheduledAt == nil)
        #expect(trip.route?.points.count == 3)
        #expect(trip.route?.distanceMeters == 12400)
        #expect(trip.route?.durationSeconds == 1280)
        #expect(trip.routeID == nil)
        #expect(trip.queuePosition == 0)
        #expect(trip.contextJSON == "{}")
    }

    @Test(
        "the vehicle number, or without one the license plate, is read; invalid values are ignored",
        arguments: [
            ("\"vehicle_number\":\"KA-01\"", "KA-01"), ("\"vehicle\":{\"license_plate\":\"B XY 1\"}", "B XY 1"),
            ("\"vehicle_number\":\"KA-01\",\"vehicle\":{\"license_plate\":\"B XY 1\"}", "KA-01"),
            ("\"vehicle_number\":null,\"vehicle\":{\"license_plate\":\"B XY 1\",\"color\":\"red\"}", "B XY 1"),
            ("\"vehicle_number\":17", nil), ("\"vehicle_number\":\"\"", nil), ("\"vehicle\":\"Toyota\"", nil),
            ("\"vehicle\":{}", nil), ("\"vehicle\":{\"license_plate\":5}", nil), ("\"vehicle\":null", nil),
        ] as [(String, String?)])
    func vehicleNumber(members: String, expected: String?) throws {
        #expect(try #require(trip(with(members))).vehicleNumber == expected)
    }

    @Test("only trip id and state are required")
    func requiredFields() throws {
        let trip = try #require(self.trip("{\"state\":\"COMPLETED\",\"trip_id\":\"t:1\"}"))
        #expect(trip == TripMessage(tripID: "t:1", driverID: "drv_17", state: .completed))
    }

    @Test("a null value is a tombstone, an empty value is not")
    func tombstone() {
        ByteSlice.withBytes(of: "drv_17") { key in
            guard case .tombstone(driverID: "drv_17") = reader.read(key: key, value: nil) else {
                Issue.record("not a tombstone")
                return
            }
            guard case .unreadable(.emptyValue, _) = reader.read(key: key, value: .empty) else {
                Issue.record("not empty")
                return
            }
        }
    }

    @Test(
        "states are read as trip services and apps spell them",
        arguments: [
            ("REQUESTED", TripState.requested), ("searching", .requested), ("ACCEPTED", .accepted),
            ("driver_assigned", .accepted), ("driver_en_route", .accepted), ("driverEnRoute", .accepted),
            ("DRIVER_EN_ROUTE", .accepted), ("ARRIVED", .arrived), ("arrived_pickup", .arrived),
            ("IN_PROGRESS", .inProgress), ("inProgress", .inProgress), ("in-progress", .inProgress),
            ("trip_started", .inProgress), ("arrived_destination", .inProgress), ("COMPLETED", .completed),
            ("trip_completed", .completed), ("CANCELLED", .cancelled), ("canceled", .cancelled),
        ])
    func states(text: String, state: TripState) {
        #expect(trip("{\"trip_id\":\"t\",\"state\":\"\(text)\"}")?.state == state)
    }

    @Test(
        "unknown states are refused",
        arguments: ["", "DONE", "accepted!", "arrived_pickup_twice_over_and_over_again", "é"])
    func unknownStates(text: String) {
        #expect(refusal("{\"trip_id\":\"t\",\"state\":\"\(text)\"}") == "UNKNOWN_STATE state")
    }

    @Test(
        "faults are reported by name",
        arguments: [
            ("{\"state\":\"ACCEPTED\"}", "MISSING_FIELD trip_id"), ("{\"trip_id\":\"t\"}", "MISSING_FIELD state"),
            ("{\"trip_id\":\"a/b\",\"state\":\"ACCEPTED\"}", "INVALID_ID trip_id"),
            ("{\"trip_id\":7,\"state\":\"ACCEPTED\"}", "WRONG_TYPE trip_id"),
            ("{\"trip_id\":\"t\",\"state\":\"ACCEPTED\",\"driver_id\":\"x\"}", "KEY_MISMATCH driver_id"),
            ("{\"trip_id\":\"t\"", "MALFORMED_JSON "), ("[]", "MALFORMED_JSON "), ("  ", "EMPTY_VALUE "),
        ])
    func refused(value: String, text: String) {
        #expect(refusal(value) == text)
    }

    @Test(
        "invalid optional fields are refused by name",
        arguments: [
            ("\"kind\":\"boat\"", "WRONG_TYPE kind"), ("\"version\":-1", "OUT_OF_RANGE version"),
            ("\"version\":1.5", "WRONG_TYPE version"), ("\"version\":1e999", "NOT_FINITE version"),
            ("\"changed_at\":\"soon\"", "INVALID_TIMESTAMP changed_at"),
            ("\"queue_position\":2", "OUT_OF_RANGE queue_position"),
            ("\"stops\":{}", "WRONG_TYPE stops"), ("\"stops\":[1]", "WRONG_TYPE stops"),
            ("\"stops\":[{\"stop_id\":\"a\",\"latitude\":1}]", "MISSING_FIELD longitude"),
            ("\"stops\":[{\"latitude\":1,\"longitude\":1}]", "MISSING_FIELD stop_id"),
            ("\"stops\":[{\"stop_id\":\"a\",\"latitude\":91,\"longitude\":1}]", "OUT_OF_RANGE latitude"),
            ("\"stops\":[{\"stop_id\":\"\",\"latitude\":1,\"longitude\":1}]", "INVALID_ID stop_id"),
            ("\"stops\":[{\"stop_id\":\"a\",\"kind\":\"X\",\"latitude\":1,\"longitude\":1}]", "WRONG_TYPE kind"),
            ("\"route\":[]", "WRONG_TYPE route"), ("\"route\":{\"polyline\":\"_p~iF\"}", "INVALID_POLYLINE polyline"),
            ("\"route\":{\"polyline\":\"\",\"precision\":7}", "OUT_OF_RANGE precision"),
            ("\"route\":{\"distance_meters\":-1}", "OUT_OF_RANGE distance_meters"),
            ("\"route_id\":\"a b\"", "INVALID_ID route_id"), ("\"rider_id\":\"a\\nb\"", "INVALID_ID rider_id"),
            ("\"context\":[]", "WRONG_TYPE context"), ("\"context\":\"x\"", "WRONG_TYPE context"),
            ("\"context\":{\"a\":tru}", "MALFORMED_JSON context"),
            ("\"context\":{\"a\":[1}}", "MALFORMED_JSON context"),
            ("\"context\":{\"a\":\"\\u0000\"}", "MALFORMED_JSON context"),
            ("\"context\":{\"a\":1e999}", "MALFORMED_JSON context"),
        ])
    func refusedMembers(members: String, text: String) {
        #expect(refusal(with(members)) == text)
    }

    @Test("a stop without a kind gets its kind from its id")
    func impliedKinds() {
        let stops = ["pickup", "dropoff", "4711"].map { "{\"stop_id\":\"\($0)\",\"latitude\":1,\"longitude\":2}" }
        let kinds = trip(with("\"stops\":[\(stops.joined(separator: ","))]"))?.stops.map(\.kind)
        #expect(kinds == [.pickup, .dropoff, .stop])
    }

    @Test("200 stops are read and 201 are refused", arguments: [200, 201])
    func stops(count: Int) {
        let stops = (0..<count).map { "{\"stop_id\":\"\($0)\",\"latitude\":1,\"longitude\":2}" }
        let value = with("\"kind\":\"transit\",\"stops\":[\(stops.joined(separator: ","))]")
        if count <= 200 {
            #expect(trip(value)?.stops.count == count)
        } else {
            #expect(refusal(value) == "TOO_MANY_STOPS stops")
        }
    }

    @Test("a polyline of precision 6 is converted to precision 5 with its points")
    func precision() throws {
        let points = [(38.123456, -120.2), (-40.7654321, -0.0000041), (90, 180)].map {
            Coordinate(latitude: $0, longitude: $1)
        }
        let six = Polyline.encode(points, precision: 6).replacing("\\", with: "\\\\")
        let route = try #require(trip(with("\"route\":{\"polyline\":\"\(six)\",\"precision\":6}"))?.route)
        #expect(route.polyline == Polyline.encode(points, precision: 5))
        #expect(route.points.map(\.latitude) == [38.12346, -40.76543, 90])
        #expect(route.points.map(\.longitude) == [-120.2, 0, 180])
        let five = route.polyline.replacing("\\", with: "\\\\")
        #expect(trip(with("\"route\":{\"polyline\":\"\(five)\"}"))?.route == route)
        #expect(trip(with("\"route\":{\"polyline\":\"\",\"precision\":6}"))?.route?.points == [])
    }

    @Test("a polyline of 64 KiB is read, and a longer polyline is refused")
    func polylineBytes() {
        for (count, isRead) in [(65536, true), (65538, false)] {
            let polyline = String(repeating: "??", count: count / 2)
            #expect(
                (trip(with("\"route\":{\"polyline\":\"\(polyline)\"}"))?.route?.points.count == count / 2) == isRead)
        }
    }

    @Test("a record over 256 KiB is too large")
    func tooLarge() {
        let limit = TripLimits.recordBytes
        let core = with("\"x\":\"\"")
        let fits = core.replacing("\"\"", with: "\"" + String(repeating: "x", count: limit - core.utf8.count) + "\"")
        #expect(trip(fits) != nil)
        #expect(refusal(fits + " ") == "TOO_LARGE ")
    }

    @Test("a context is passed through without white space")
    func context() {
        let context = "{ \"a\" : [ 1.50 , \"x y\\n\\u00e9\" ] ,\n \"b\":{ \"context\":{} } }"
        #expect(
            trip(with("\"context\":\(context)"))?.contextJSON
                == "{\"a\":[1.50,\"x y\\n\\u00e9\"],\"b\":{\"context\":{}}}")
    }

    @Test("a context of 8 KiB is read, one byte more is too large")
    func contextBytes() {
        for (count, isRead) in [(8192, true), (8193, false)] {
            let context = "{\"a\":\"" + String(repeating: "x", count: count - 8) + "\"}"
            #expect((trip(with("\"context\":\(context)"))?.contextJSON?.utf8.count == count) == isRead)
        }
    }

    @Test("a trip that is written is read back", arguments: [UInt64(53)])
    func roundTrip(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<1000 {
            let message = TripSamples.trip(&generator)
            let text = written { TripWriter.write(message, into: &$0) }
            #expect(trip(text, key: message.driverID) == message, "seed \(seed): \(text)")
        }
    }

    @Test("damaged trips do not crash the reader, and at least one per byte is unreadable")
    func damage() {
        var refused = 0
        ByteSlice.withBytes(of: "drv_17") { key in
            forEachDamage(of: Self.ride) {
                if case .unreadable = reader.read(key: key, value: $0) { refused += 1 }
            }
        }
        #expect(refused >= Self.ride.utf8.count)
    }

    @Test("the key is checked as for raw records")
    func keys() {
        #expect(refusal(Self.ride, key: "a b") == "INVALID_KEY ")
        #expect(refusal(Self.ride, key: "") == "MISSING_KEY ")
    }

    @Test(
        "the driver id of a record is not read from its facts",
        arguments: [
            (#"{"facts":{"driver":{"driver_id":"x"}},"driver_id":"d1"}"#, "d1"),
            (#"{"facts":{"driver_id":"x"},"type":"trip_status","payload":{"tripId":"t","driverId":"d2"}}"#, "d2"),
            (#"{"driverId":"d3","payload":{"driver_id":"x"}}"#, "d3"), (#"{"facts":{"driver_id":"x"}}"#, nil),
            (#"{"driver_id":7}"#, nil), (#"{"driver_id":"d1""#, nil), ("", nil),
        ] as [(String, String?)])
    func driverID(value: String, expected: String?) {
        #expect(ByteSlice.withBytes(of: value) { reader.driverID(of: $0) } == expected)
    }
}
