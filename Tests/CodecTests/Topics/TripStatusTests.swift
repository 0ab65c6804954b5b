import Testing

@testable import Codec
@testable import Domain
@testable import Support

@Suite("Reading a driver's trip status")
struct TripStatusTests {
    private let reader = TripReader()
    private static let time = Timestamp(milliseconds: 1_741_977_135_123)

    private func read(_ value: String) -> TripReadResult {
        ByteSlice.withBytes(of: "drv_17") { key in ByteSlice.withBytes(of: value) { reader.read(key: key, value: $0) } }
    }

    private func refusal(_ value: String) -> String? {
        if case .unreadable(let reason, let detail) = read(value) { "\(reason.code) \(detail)" } else { nil }
    }

    @Test(
        "the mobile model's message is read with and without payload, in all spellings and time formats",
        arguments: [
            #"{"type":"trip_status","payload":{"tripId":"t","status":"arrived_pickup","timestamp":763669935.123,"#
                + #""location":null},"timestamp":763669999,"messageId":"m"}"#,
            #"{"type":"TRIP_STATUS","payload":{"trip_id":"t","state":"ARRIVED","changed_at":1741977135123}}"#,
            #"{"type":"trip_status","tripId":"t","status":"arrivedPickup","timestamp":"2025-03-14T18:32:15.123Z"}"#,
            #"{"type":"trip_status","driverId":"drv_17","payload":{"driver_id":"drv_17","tripId":"t","#
                + #""status":"arrived","timestamp":1741977135.123,"kind":null}}"#,
        ])
    func status(value: String) throws {
        guard case .trip(let trip) = read(value) else {
            Issue.record("refused: \(refusal(value) ?? "-")")
            return
        }
        var expected = TripMessage(
            tripID: "t", driverID: "drv_17", state: .arrived, triggeredBy: "DRIVER", changedAt: Self.time)
        expected.isDriverStatus = true
        #expect(trip == expected)
        let validator = try SchemaValidator(file: "trips.schema.json", isStrict: false)
        #expect(try validator.problems(of: value) == [])
        expectRoundTrip(trip)
    }

    private func expectRoundTrip(_ trip: TripMessage) {
        let text = written { TripWriter.write(trip, into: &$0) }
        guard case .trip(let again) = read(text) else {
            Issue.record("refused: \(refusal(text) ?? "-")")
            return
        }
        #expect(again == trip)
    }

    @Test(
        "every status of the mobile model is a state",
        arguments: [
            ("requested", TripState.requested), ("accepted", .accepted), ("driver_en_route", .accepted),
            ("arrived_pickup", .arrived), ("trip_started", .inProgress), ("arrived_destination", .inProgress),
            ("completed", .completed), ("cancelled", .cancelled),
        ])
    func states(status: String, state: TripState) {
        let value =
            #"{"type":"trip_status","payload":{"tripId":"t","status":"\#(status)","timestamp":763669935}}"#
        guard case .trip(let trip) = read(value) else {
            Issue.record("refused")
            return
        }
        #expect(trip.state == state && trip.isDriverStatus)
    }

    @Test(
        "the location of an arrival becomes its context, and an invalid location is ignored",
        arguments: [
            ("arrived_pickup", #"{"latitude":1,"longitude":-2.5,"accuracy":5}"#, "1,-2.5"),
            ("arrived_destination", #"{"lat":-90,"lng":180}"#, "-90,180"),
            ("arrived_pickup", #"{"latitude":90.1,"longitude":2}"#, nil),
            ("arrived_pickup", #"{"latitude":1}"#, nil), ("arrived_pickup", #"[1,2]"#, nil),
            ("arrived_pickup", "7", nil), ("arrived_pickup", #"{"latitude":"north","longitude":2}"#, nil),
            ("trip_started", #"{"latitude":1,"longitude":2}"#, nil),
            ("accepted", #"{"latitude":1,"longitude":2}"#, nil),
        ] as [(String, String, String?)])
    func arrivalLocation(status: String, location: String, expected: String?) {
        let value =
            #"{"type":"trip_status","payload":{"tripId":"t","status":"\#(status)","location":\#(location)}}"#
        guard case .trip(let trip) = read(value) else {
            Issue.record("refused: \(refusal(value) ?? "-")")
            return
        }
        let coordinates = expected.map { $0.split(separator: ",") }
        #expect(
            trip.contextJSON
                == coordinates.map { #"{"arrival_location":{"latitude":\#($0[0]),"longitude":\#($0[1])}}"# })
        expectRoundTrip(trip)
    }

    @Test("a device's status is triggered by the driver, and a trip service's message is not a status")
    func triggeredBy() {
        let status = #"{"type":"trip_status","payload":{"tripId":"t","status":"cancelled","triggered_by":"SYSTEM"}}"#
        guard case .trip(let trip) = read(status),
            case .trip(let other) = read(#"{"type":"trip","trip_id":"t","state":"ARRIVED"}"#)
        else {
            Issue.record("refused")
            return
        }
        #expect(trip.triggeredBy == "DRIVER")
        #expect(!other.isDriverStatus && other.triggeredBy == nil)
    }

    @Test(
        "faults are reported by name",
        arguments: [
            (#""payload":{"status":"accepted"}"#, "MISSING_FIELD trip_id"),
            (#""payload":{"tripId":"t"}"#, "MISSING_FIELD state"),
            (#""payload":{"tripId":"t","status":"flying"}"#, "UNKNOWN_STATE status"),
            (#""payload":{"tripId":"a/b","status":"accepted"}"#, "INVALID_ID tripId"),
            (#""payload":{"tripId":"t","status":"accepted","timestamp":-1}"#, "INVALID_TIMESTAMP timestamp"),
            (#""driverId":"x","payload":{"tripId":"t","status":"accepted"}"#, "KEY_MISMATCH driverId"),
            (#""payload":{"tripId":"t","status":"accepted","driver_id":"x"}"#, "KEY_MISMATCH driver_id"),
            (#""payload":[]"#, "WRONG_TYPE payload"),
        ])
    func refused(members: String, text: String) {
        #expect(refusal("{\"type\":\"trip_status\",\(members)}") == text)
    }
}
