import Testing

@testable import Codec
@testable import Domain
@testable import Support

@Suite("Rider update envelopes")
struct RiderUpdateEnvelopeTests {
    private let reader = RiderUpdateEnvelopeReader()
    private let polyline = #"_p~iF~ps|U\"_ulL"#
    private let event = EventID(origin: .trips, partition: 3, offset: 512).withMessage(1)

    private var updates: [RiderUpdate] {
        let now = Timestamp(milliseconds: 1_741_977_135_123)
        let place = Coordinate(latitude: 37.775, longitude: -122.418)
        let stop = TripEta.Stop(id: "pickup", kind: .pickup, status: .unavailable)
        return [
            .driverLocation(
                .init(
                    coordinate: place, headingDegrees: 12, speedMetersPerSecond: 3, interpolationMilliseconds: 1000,
                    fixedAt: now, isStale: false, staleSeconds: 0)),
            .eta(.init(computedAt: now, stops: [stop], routePolyline: polyline, traffic: .light)),
            .stateChanged(
                .init(
                    previousState: .requested, state: .accepted, triggeredBy: "DRI\"VER", changedAt: now,
                    contextJSON: #"{"note":"a } \" ] {","list":[[],[1,{"x":null}]]}"#)),
            .vehiclePosition(
                .init(
                    streamID: "run", vehicleNumber: "8", coordinate: place, nextStopID: "a", lastStopID: "b", at: now)),
            .notification(.init(kind: .driverAccepted, priority: .high)),
        ]
    }

    private func withRecord(_ update: RiderUpdate, _ body: (ByteSlice) throws -> Void) rethrows {
        var writer = ByteWriter()
        ByteSlice.withBytes(of: "trip:tr_1") { channel in
            RiderUpdateWriter.write(event: event, channel: channel, update: update, into: &writer)
        }
        try body(writer.bytes)
    }

    @Test("every update type is read with an unchanged payload")
    func written() throws {
        for update in updates {
            try withRecord(update) { record in
                let envelope = try #require(reader.read(record))
                #expect(envelope.type == RiderUpdateType(update))
                #expect(envelope.channel.string == "trip:tr_1")
                #expect(envelope.event == event)
                let text = record.string
                let payload = envelope.payload.string
                #expect(text.hasSuffix("\"payload\":\(payload)}"))
                #expect(payload.hasPrefix("{") && payload.hasSuffix("}"))
            }
        }
    }

    @Test("state and route are read from the payload, the route as JSON")
    func members() {
        withRecord(updates[1]) { record in
            #expect(reader.read(record)?.routePolyline.string == #""_p~iF~ps|U\\\"_ulL""#)
            #expect(reader.read(record)?.state.isEmpty == true)
        }
        withRecord(updates[2]) { record in
            #expect(reader.read(record)?.state.string == "ACCEPTED")
            #expect(reader.read(record)?.routePolyline.isEmpty == true)
        }
    }

    @Test("white space between the tokens changes nothing")
    func whiteSpace() throws {
        let text = " { \"type\" : \"x\" ,\n\"channel\"\t: \"trip:a\" , \"payload\" : { \"a\" : 1 } } "
        try ByteSlice.withBytes(of: text) { record in
            let envelope = try #require(reader.read(record))
            #expect(envelope.type == nil)
            #expect(envelope.channel.string == "trip:a")
            #expect(envelope.payload.string == "{ \"a\" : 1 }")
        }
        let change = "{\"type\":\"trip_state_changed\",\"channel\":\"trip:a\",\"payload\":{\"state\" : \"ACCEPTED\" }}"
        ByteSlice.withBytes(of: change) { #expect(reader.read($0)?.state.string == "ACCEPTED") }
    }

    @Test("a truncated record is not read")
    func truncated() {
        for update in updates {
            withRecord(update) { record in
                for count in 0..<record.count {
                    #expect(reader.read(ByteSlice(start: record.start, count: count)) == nil)
                }
            }
        }
    }

    @Test("the parts read from a damaged record are inside the record")
    func damaged() {
        let seed = UInt64.random(in: .min ... .max)
        var state = seed
        func below(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % bound
        }
        let marks = Array("{}[]\":,\\ \n0a".utf8)
        for round in 0..<20_000 {
            withRecord(updates[round % updates.count]) { record in
                var bytes = Array(record.buffer)
                for _ in 0...below(4) { bytes[below(bytes.count)] = marks[below(marks.count)] }
                bytes.removeLast(below(bytes.count))
                bytes.withUnsafeBytes { bytes in
                    guard let envelope = reader.read(ByteSlice(bytes)) else { return }
                    for part in [envelope.channel, envelope.payload, envelope.routePolyline, envelope.state] {
                        guard let start = part.start, let first = bytes.baseAddress else { continue }
                        let isInside = start >= first && start + part.count <= first + bytes.count
                        #expect(isInside, "seed \(seed), round \(round)")
                    }
                }
            }
        }
    }

    private func vehicle(_ payload: String) -> String? {
        ByteSlice.withBytes(of: payload) { payload in
            reader.vehicle(of: payload).map { "\($0.run.string) \($0.number.string)" }
        }
    }

    @Test("the vehicle of a route's update is read with its run, and both are required")
    func vehicles() {
        #expect(vehicle(#"{"streamId":"r","eta":[],"vehicleNumber":"KA-01 7","latLng":{}}"#) == "r KA-01 7")
        #expect(vehicle(#"{"vehicleNumber":"a\"b","streamId":"r"}"#) == #"r a\"b"#)
        #expect(vehicle(#"{"streamId":"r","vehicleNumber":7}"#) == nil)
        #expect(vehicle(#"{"streamId":"r","vehicleNumber":""}"#) == nil)
        #expect(vehicle(#"{"vehicleNumber":"7"}"#) == nil && vehicle(#"{"streamId":"r"}"#) == nil)
        #expect(vehicle("{}") == nil && vehicle("7") == nil)
    }
}
