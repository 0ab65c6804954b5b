import TestSupport
import Testing

@testable import Codec
@testable import Domain
@testable import Support

@Suite("Rider updates")
struct RiderUpdateTests {
    private let reader = RiderUpdateReader()
    private let event = EventID(partition: 3, offset: 184_467).withPunctuation(2).withMessage(1)
    private let at = Timestamp(milliseconds: 1_741_977_135_123)

    private func write(_ update: RiderUpdate, channel: String = "trip:tr_4e5f") -> String {
        written { writer in
            ByteSlice.withBytes(of: channel) {
                RiderUpdateWriter.write(event: event, channel: $0, update: update, into: &writer)
            }
        }
    }

    private func expectRoundTrip(_ update: RiderUpdate, channel: String = "trip:tr_4e5f", seed: UInt64? = nil) throws {
        let text = write(update, channel: channel)
        try ByteSlice.withBytes(of: text) {
            let record = try #require(reader.read($0), "\(text)")
            #expect(record.eventID == event)
            #expect(record.channel.string == channel)
            #expect(record.update == update, "\(seed ?? 0): \(text)")
        }
    }

    @Test("a location contains only the fields for a map")
    func driverLocation() throws {
        let location = RiderUpdate.DriverLocation(
            coordinate: Coordinate(latitude: 37.775096, longitude: -122.418301), headingDegrees: 44.6,
            speedMetersPerSecond: 12.3, interpolationMilliseconds: 2000, fixedAt: at, isStale: true, staleSeconds: 14)
        let text = write(.driverLocation(location))
        #expect(
            text == """
                {"type":"driver_location","event_id":"3-184467+2/1","channel":"trip:tr_4e5f","payload":{"latitude":\
                37.775096,"longitude":-122.418301,"heading":44.6,"speed_mps":12.3,"interpolation_hint":{"duration_ms":\
                2000,"easing":"linear"},"server_timestamp":"2025-03-14T18:32:15.123Z","is_stale":true,"stale_seconds":14}}
                """)
        for secret in ["driver_id", "accuracy", "altitude", "battery", "risk"] { #expect(!text.contains(secret)) }
        try expectRoundTrip(.driverLocation(location))
    }

    @Test("a ride's ETAs are in pickup and dropoff, other stops in a list")
    func etas() throws {
        var generator = SeededGenerator(seed: 71)
        let pickup = TripSamples.stop(&generator, id: "pickup", kind: .pickup)
        let dropoff = TripSamples.stop(&generator, id: "dropoff", kind: .dropoff)
        let stop = TripSamples.stop(&generator, id: "s", kind: .stop)
        for (stops, names) in [
            ([pickup, dropoff], ["pickup_eta", "dropoff_eta"]), ([dropoff], ["dropoff_eta"]),
            ([pickup], ["pickup_eta"]),
            ([stop], ["stop_etas"]), ([], ["stop_etas"]), ([pickup, pickup], ["stop_etas"]),
            ([dropoff, pickup], ["stop_etas"]), ([pickup, stop, dropoff], ["stop_etas"]),
        ] {
            var update = RiderUpdate.EtaUpdate(
                computedAt: at, stops: stops, routePolyline: stops.isEmpty ? nil : "_p~iF~ps|U\\", traffic: .heavy)
            update.isStale = stops.count > 1
            update.staleSeconds = stops.isEmpty ? nil : 125
            let text = write(.eta(update))
            for name in ["pickup_eta", "dropoff_eta", "stop_etas"] {
                #expect(text.contains("\"\(name)\":") == names.contains(name))
            }
            try expectRoundTrip(.eta(update))
        }
    }

    @Test("an ETA has the age of its position, and a stale ETA counts from the position's time")
    func etaAges() throws {
        var stop = TripEta.Stop(id: "pickup", kind: .pickup, status: .valid, delay: .onTime)
        stop.seconds = 300
        var update = RiderUpdate.EtaUpdate(computedAt: at, stops: [stop], traffic: .light)
        #expect(!write(.eta(update)).contains("stale_seconds"))
        update.staleSeconds = 0
        #expect(write(.eta(update)).contains("\"is_stale\":false,\"stale_seconds\":0,"))
        update.staleSeconds = 120
        #expect(write(.eta(update)).contains("\"computed_at\":\"2025-03-14T18:32:15.123Z\"}"))
        update.isStale = true
        #expect(
            write(.eta(update)).contains(
                "\"payload\":{\"computed_at\":\"2025-03-14T18:32:15.123Z\",\"is_stale\":true,\"stale_seconds\":120,"))
        #expect(write(.eta(update)).contains("\"computed_at\":\"2025-03-14T18:30:15.123Z\"}"))
        try expectRoundTrip(.eta(update))
    }

    @Test("a state change lists the allowed transitions", arguments: TripState.allCases)
    func stateChange(state: TripState) throws {
        let change = RiderUpdate.StateChange(
            previousState: .requested, state: state, triggeredBy: "DRIVER", changedAt: at, contextJSON: "{\"a\":1}")
        let text = write(.stateChanged(change))
        let allowed = state.allowedTransitions.map { "\"\($0.code)\"" }.joined(separator: ",")
        #expect(text.contains("\"payload\":{\"trip_id\":\"tr_4e5f\",\"state\":\"\(state.code)\""))
        #expect(text.contains("\"allowed_transitions\":[\(allowed)]"))
        try expectRoundTrip(.stateChanged(change))
    }

    @Test(
        "a detected arrival is the first member of the context",
        arguments: [
            (nil, nil, nil), ("pickup", nil, "{\"detected_arrival\":\"pickup\"}"), (nil, "{}", "{}"),
            ("pickup", "{\"a\":1}", "{\"detected_arrival\":\"pickup\",\"a\":1}"),
            ("a\"},{\\", "{\"a\":{}}", "{\"detected_arrival\":\"a\\\"},{\\\\\",\"a\":{}}"),
        ] as [(String?, String?, String?)])
    func detectedArrival(stop: String?, context: String?, written: String?) throws {
        let change = RiderUpdate.StateChange(
            previousState: nil, state: .accepted, changedAt: at, contextJSON: context, detectedArrivalStopID: stop)
        let text = write(.stateChanged(change))
        if let written {
            #expect(text.contains("\"context\":\(written)"))
        } else {
            #expect(!text.contains("context"))
        }
        try expectRoundTrip(.stateChanged(change))
    }

    @Test("a vehicle position is read back", arguments: [UInt64(73)])
    func vehiclePosition(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<300 {
            let position = TripSamples.vehicle(&generator)
            try expectRoundTrip(.vehiclePosition(position), channel: "route:14", seed: seed)
        }
    }

    @Test("a vehicle position is written with the names and types of transit apps")
    func vehicleGolden() {
        var position = RiderUpdate.VehiclePosition(
            streamID: "run_9", vehicleNumber: "KA-01", coordinate: Coordinate(latitude: 1.5, longitude: 2.5),
            nextStopID: "b", lastStopID: "z", at: at)
        #expect(
            write(.vehiclePosition(position), channel: "route:14") == """
                {"type":"vehicle_position","event_id":"3-184467+2/1","channel":"route:14","payload":{"streamId":\
                "run_9","etaId":"run_9/b","vehicleNumber":"KA-01","latLng":{"lat":1.5,"lng":2.5},"isBusHalted":false,\
                "nextStopId":"b","lastStopId":"z","timeStamp":1741977135123,"isStale":false,"staleSeconds":0,\
                "occupancyLevel":"UNKNOWN"}}
                """)
        position.etaSeconds = 90
        (position.minEtaSeconds, position.maxEtaSeconds, position.distanceMeters) = (60, 130, 812)
        (position.passedStopID, position.passedAt) = ("a", at)
        position.bearingDegrees = 90
        (position.isHalted, position.isStale, position.staleSeconds) = (true, true, 121)
        position.occupancy = .fewSeats
        #expect(
            write(.vehiclePosition(position), channel: "route:14") == """
                {"type":"vehicle_position","event_id":"3-184467+2/1","channel":"route:14","payload":{"streamId":\
                "run_9","etaId":"run_9/b","vehicleNumber":"KA-01","eta":90,"minEta":60,"maxEta":130,\
                "distanceToReach":812,"latLng":{"lat":1.5,"lng":2.5},"isBusHalted":true,"nextStopId":"b",\
                "lastStopId":"z","passedStopId":"a","passedStopTime":1741977135123,"vehicleBearing":90,\
                "timeStamp":1741977135123,"isStale":true,"staleSeconds":121,"occupancyLevel":"FEW_SEATS"}}
                """)
    }

    @Test(
        "a vehicle that left has the member names of vehicle positions and is read back", arguments: TripState.allCases)
    func vehicleLeft(state: TripState) throws {
        let left = RiderUpdate.VehicleLeft(streamID: "run_9", vehicleNumber: "KA \"1\"", state: state, at: at)
        try expectRoundTrip(.vehicleLeft(left), channel: "route:14", seed: 0)
        guard state == .completed else { return }
        #expect(
            write(.vehicleLeft(left), channel: "route:14")
                == #"{"type":"vehicle_left","event_id":"3-184467+2/1","channel":"route:14","payload":{"streamId":"#
                + #""run_9","vehicleNumber":"KA \"1\"","state":"COMPLETED","timeStamp":1741977135123}}"#)
    }

    @Test("every notification is read back")
    func notifications() throws {
        for kind in RiderUpdate.Notification.Kind.allCases {
            for priority in RiderUpdate.Notification.Priority.allCases {
                for change in [nil, -400, 400] {
                    try expectRoundTrip(
                        .notification(.init(kind: kind, priority: priority, etaChangeSeconds: change)))
                }
            }
        }
    }

    @Test("an invalid context makes the update unreadable", arguments: ["{\u{0}}", "{\"a\":}", "{\"a\" 1}"])
    func brokenContext(context: String) {
        func isRead(_ context: String) -> Bool {
            let change = RiderUpdate.StateChange(
                previousState: nil, state: .accepted, changedAt: Timestamp(milliseconds: 0), contextJSON: context)
            let text = written { writer in
                ByteSlice.withBytes(of: "trip:t") {
                    RiderUpdateWriter.write(
                        event: EventID(partition: 0, offset: 1), channel: $0, update: .stateChanged(change),
                        into: &writer)
                }
            }
            return ByteSlice.withBytes(of: text) { RiderUpdateReader().read($0) != nil }
        }
        #expect(isRead("{}"))
        #expect(!isRead(context))
    }

    @Test("damaged updates do not crash the reader, and at least one per byte is unreadable")
    func damage() {
        var generator = SeededGenerator(seed: 79)
        let stops = [TripSamples.stop(&generator, id: "pickup", kind: .pickup)]
        let change = RiderUpdate.StateChange(
            previousState: .accepted, state: .arrived, changedAt: at, contextJSON: "{\"a\":1}",
            detectedArrivalStopID: "pickup")
        for update in [
            RiderUpdate.eta(.init(computedAt: at, stops: stops, traffic: .light)), .stateChanged(change),
        ] {
            let text = write(update)
            var unreadable = 0
            forEachDamage(of: text) { if reader.read($0) == nil { unreadable += 1 } }
            #expect(unreadable >= text.utf8.count)
        }
    }

    @Test("texts full of escapes fit into the reserved space")
    func worstCase() {
        let long = String(repeating: "\u{1}", count: 128)
        var generator = SeededGenerator(seed: 83)
        let stops = (0..<200).map { _ in TripSamples.stop(&generator, id: long, kind: .stop) }
        var vehicle = RiderUpdate.VehiclePosition(
            streamID: long, vehicleNumber: long, coordinate: Coordinate(latitude: -1e300, longitude: -1e300),
            nextStopID: long, lastStopID: long, at: at)
        vehicle.etaSeconds = .min
        (vehicle.minEtaSeconds, vehicle.maxEtaSeconds, vehicle.distanceMeters) = (.min, .min, .min)
        (vehicle.passedStopID, vehicle.passedAt, vehicle.bearingDegrees) = (long, at, .min)
        (vehicle.staleSeconds, vehicle.occupancy) = (.min, .manySeats)
        let updates: [RiderUpdate] = [
            .eta(
                .init(
                    computedAt: at, stops: stops, routePolyline: String(repeating: "\\", count: 65536),
                    traffic: .unknown)),
            .stateChanged(
                .init(
                    previousState: .inProgress, state: .inProgress, triggeredBy: long, changedAt: at,
                    contextJSON: "{\"a\":\"" + String(repeating: "x", count: 8000) + "\"}", detectedArrivalStopID: long,
                    stage: .arrivedDestination, isRematched: true,
                    factsJSON: "{\"a\":\"" + String(repeating: "x", count: 4000) + "\"}")),
            .notification(
                .init(
                    kind: .driverAccepted, priority: .normal, etaChangeSeconds: .min, triggeredBy: long,
                    factsJSON: "{\"a\":\"" + String(repeating: "x", count: 4000) + "\"}")),
            .vehiclePosition(vehicle),
        ]
        for update in updates { #expect(write(update, channel: "trip:" + long).hasSuffix("}}")) }
    }
}
