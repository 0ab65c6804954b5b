import Testing

@testable import Codec
@testable import Domain
@testable import Gateways
@testable import Support

@Suite("Trip statuses of drivers")
struct TripStatusTests {
    private let reader = DriverMessageReader()

    @Test(
        "every status of the apps is mapped to a trip state, and some also to a stage",
        arguments: [
            ("requested", TripState.requested, TripStage?.none), ("accepted", .accepted, nil),
            ("driver_en_route", .accepted, .driverEnRoute), ("arrived_pickup", .arrived, nil),
            ("trip_started", .inProgress, nil), ("arrived_destination", .inProgress, .arrivedDestination),
            ("completed", .completed, nil), ("cancelled", .cancelled, nil),
        ])
    func statuses(status: String, state: TripState, stage: TripStage?) throws {
        let camelCase = status.split(separator: "_").enumerated()
            .map { $0.offset == 0 ? String($0.element) : $0.element.prefix(1).uppercased() + $0.element.dropFirst() }
            .joined()
        for spelling in [status, status.uppercased(), camelCase] {
            let message =
                #"{"type":"trip_status","payload":{"tripId":"tr_1","status":"\#(spelling)","timestamp":763669935}}"#
            let trip = try #require(reader.read(message).status)
            #expect(trip.tripID == "tr_1" && trip.driverID == "drv_17" && trip.isDriverStatus)
            #expect(trip.state == state && trip.stage == stage && trip.triggeredBy == "DRIVER", "\(spelling)")
        }
    }

    @Test("the written record reads back unchanged and omits other members of the device's message")
    func written() throws {
        for status in ["accepted", "driver_en_route", "arrived_pickup", "arrived_destination", "completed"] {
            for time in ["", #","timestamp":1741977135123"#] {
                let message =
                    #"{"type":"trip_status","stops":[{"stop_id":"x","latitude":1,"longitude":2}],"facts":{"a":1},"#
                    + #""payload":{"tripId":"tr_1","status":"\#(status)"\#(time),"triggered_by":"SYSTEM","version":9,"#
                    + #""location":{"latitude":1.5,"longitude":-2,"accuracy":5}}}"#
                let read = reader.read(message)
                let (trip, value) = (try #require(read.status), read.value)
                #expect(reader.read(value).status == trip)
                #expect((trip.contextJSON != nil) == status.hasPrefix("arrived") && !value.contains("accuracy"))
                #expect(!value.contains("SYSTEM") && !value.contains("facts") && !value.contains("version"))
                #expect(value.contains(#""stops":[]"#) && value.hasPrefix(#"{"type":"trip_status""#))
            }
        }
    }

    @Test(
        "a fault has a reason, a field and a text",
        arguments: [
            (#""payload":{"status":"accepted"}"#, "MISSING_FIELD trip_id"),
            (#""payload":{"tripId":"t","status":"accepted","driverId":"x"}"#, "KEY_MISMATCH driverId"),
            (#""type":"trip","tripId":"t","status":"accepted""#, "UNKNOWN_TYPE type"),
        ])
    func refused(members: String, expected: String) {
        let read = reader.read("{\"type\":\"trip_status\",\(members)}")
        #expect(read.refusal == expected && read.fault?.text.isEmpty == false)
    }

    @Test("a status may be up to 256 KiB long")
    func size() {
        let message = #"{"type":"trip_status","payload":{"tripId":"t","status":"accepted"}}"#
        let limit = TripLimits.recordBytes
        for (count, isRead) in [(limit - 1, true), (limit, true), (limit + 1, false)] {
            let padded = message + String(repeating: " ", count: count - message.utf8.count)
            #expect((reader.read(padded).status != nil) == isRead, "\(count)")
        }
    }
}
