import Domain
import TestSupport
import Testing

@Suite("Position sink: trips", .blocking, .enabled(if: RedisFixture.url != nil, RedisFixture.hint))
struct PositionTripTests {
    private let fixture: RedisFixture
    private let records = PositionRecords(.riderUpdates, partition: 2)

    init() throws { fixture = try RedisFixture() }

    @Test("a trip's snapshot contains the newest update of each type, and its stream contains all updates")
    func snapshotAndStream() throws {
        let channel = "trip:tr_1"
        records.addUpdate("trip_state_changed", channel: channel, payload: #"{"trip_id":"tr_1","state":"ACCEPTED"}"#)
        records.addUpdate("driver_location", channel: channel, payload: #"{"latitude":1}"#)
        records.addUpdate(
            "eta_update", channel: channel, payload: #"{"route_polyline":"a\\b\"c","pickup_eta":{"seconds":9}}"#)
        records.addUpdate("driver_location", channel: channel, payload: #"{"latitude":2,"text":"}],{\"["}"#)
        records.addUpdate(
            "eta_update", channel: channel, payload: #"{"route_polyline":null,"pickup_eta":{"seconds":8}}"#)
        let report = try fixture.sink().write([records.batch()])
        #expect(report.written == 5)
        #expect(
            try fixture.hash("trip:tr_1") == [
                "watermark:2": "2-4 -", "event_id": "2-4", "updated_at": "1741977139123", "state": "ACCEPTED",
                "change": #"{"trip_id":"tr_1","state":"ACCEPTED"}"#, "position": #"{"latitude":2,"text":"}],{\"["}"#,
                "eta": #"{"route_polyline":null,"pickup_eta":{"seconds":8}}"#, "route_polyline": #""a\\b\"c""#,
            ])
        let stream = try fixture.stream("trip:tr_1:events")
        #expect(stream.map { $0.fields[1] } == ["2-0", "2-1", "2-2", "2-3", "2-4"])
        #expect(stream.map { $0.fields[3] } == records.records.compactMap { $0.value?.string })
    }

    @Test("a snapshot keeps fields that a later batch does not contain")
    func snapshotOverBatches() throws {
        let sink = try fixture.sink()
        records.addUpdate("trip_state_changed", channel: "trip:a", payload: #"{"state":"ACCEPTED"}"#)
        records.addUpdate("driver_location", channel: "trip:a", payload: #"{"latitude":1}"#)
        _ = try sink.write([records.batch(to: 1)])
        _ = try sink.write([records.batch(from: 1)])
        let hash = try fixture.hash("trip:a")
        #expect(hash["state"] == "ACCEPTED")
        #expect(hash["position"] == #"{"latitude":1}"#)
        #expect(hash["watermark:2"] == "2-1 -")
    }

    @Test("a snapshot contains the last facts, and a rematch clears position and arrival time")
    func factsAndRematch() throws {
        let sink = try fixture.sink()
        let (state, channel) = ("trip_state_changed", "trip:a")
        records.addUpdate(state, channel: channel, payload: #"{"state":"ACCEPTED","facts":{"driver":{"name":"Ann"}}}"#)
        records.addUpdate("driver_location", channel: channel, payload: #"{"latitude":1}"#)
        records.addUpdate("eta_update", channel: channel, payload: #"{"pickup_eta":{"seconds":9}}"#)
        records.addUpdate(state, channel: channel, payload: #"{"state":"CANCELLED"}"#)
        _ = try sink.write([records.batch()])
        var hash = try fixture.hash("trip:a")
        #expect(hash["facts"] == #"{"driver":{"name":"Ann"}}"#)
        #expect(hash["position"] == #"{"latitude":1}"#)
        records.addUpdate("driver_location", channel: channel, payload: #"{"latitude":2}"#)
        records.addUpdate(
            state, channel: channel,
            payload: #"{"state":"ACCEPTED","rematched":true,"facts":{"driver":{"name":"Ben"}}}"#)
        _ = try sink.write([records.batch(from: 4)])
        hash = try fixture.hash("trip:a")
        #expect(hash["facts"] == #"{"driver":{"name":"Ben"}}"#)
        #expect(hash["position"] == "" && hash["eta"] == "")
        records.addUpdate(state, channel: channel, payload: #"{"state":"ACCEPTED","rematched":true}"#)
        records.addUpdate("driver_location", channel: channel, payload: #"{"latitude":3}"#)
        _ = try sink.write([records.batch(from: 6)])
        #expect(try fixture.hash("trip:a")["position"] == #"{"latitude":3}"#)
    }

    @Test("a route's updates are written to its own stream")
    func routeStream() throws {
        records.addUpdate("vehicle_position", channel: "route:17", payload: #"{"vehicleNumber":"8"}"#)
        _ = try fixture.sink().write([records.batch()])
        #expect(try fixture.stream("route:17:events").count == 1)
        #expect(try fixture.hash("route:17")["watermark:2"] == "2-0 -")
    }

    @Test("a stream is trimmed to about its maximum length and keeps the newest entries")
    func streamTrimming() throws {
        for index in 0..<2000 {
            records.addUpdate("driver_location", channel: "trip:a", payload: #"{"latitude":\#(index)}"#)
        }
        let sink = try fixture.sink()
        _ = try sink.write([records.batch(to: 1000)])
        _ = try sink.write([records.batch(from: 1000)])
        let stream = try fixture.stream("trip:a:events")
        // Redis trims by whole nodes of 100 entries.
        #expect((512...612).contains(stream.count))
        #expect(stream.last?.fields[1] == "2-1999")
    }

    @Test("a trip's keys expire a day after its end")
    func lifetimeAfterEnd() throws {
        let sink = try fixture.sink()
        records.addUpdate("driver_location", channel: "trip:a", payload: #"{"latitude":1}"#)
        records.addUpdate("trip_state_changed", channel: "trip:a", payload: #"{"state":"COMPLETED"}"#)
        _ = try sink.write([records.batch(to: 1)])
        for key in ["trip:a", "trip:a:events"] { try fixture.redis.call("EXPIRE", fixture.prefix + key, "100") }
        _ = try sink.write([records.batch(from: 1)])
        for key in ["trip:a", "trip:a:events"] {
            #expect((86_390...86_400).contains(try fixture.secondsToLive(key)))
        }
    }

    @Test("events of locations and of trips advance separate parts of the watermark")
    func twoOrigins() throws {
        let raw = EventID(partition: 2, offset: 500)
        let trips = EventID(origin: .trips, partition: 2, offset: 7)
        for event in [raw, trips, raw.withMessage(1), trips, raw, trips.withMessage(2)] {
            records.addUpdate("notification", channel: "trip:a", payload: "{}", event: event)
        }
        let report = try fixture.sink().write([records.batch()])
        #expect(report.repeated == 2)
        #expect(try fixture.stream("trip:a:events").map { $0.fields[1] } == ["2-500", "t2-7", "2-500/1", "t2-7/2"])
        #expect(try fixture.text("progress:rider.updates:2") == "6 2-500/1 t2-7/2")
        #expect(try fixture.hash("trip:a")["watermark:2"] == "2-500/1 t2-7/2")
    }

    @Test(
        "an invalid update is counted and skipped",
        arguments: [
            "", "[]", "{}", #"{"type":"eta_update","channel":"trip:a"}"#,
            #"{"type":"x","event_id":"2-0","channel":"trip:a","payload":{}"#,
            #"{"type":"x","channel":"trip:a","payload":{}}"#,
            #"{"type":"x","event_id":"2-0","channel":"driver:a","payload":{}}"#,
            #"{"type":"x","event_id":"2-0","channel":"trip:a:events","payload":{}}"#,
            #"{"type":"x","event_id":"2-0","channel":"trip:a","payload":{"unfinished"#,
            #"{"type":"x" "event_id":"2-0","channel":"trip:a","payload":{}}"#,
        ])
    func invalidUpdate(value: String) throws {
        records.add(key: "trip:a", event: nil, timestamp: 0, value: value)
        let report = try fixture.sink().write([records.batch()])
        #expect(report.unreadable == 1)
        #expect(try fixture.keys() == ["progress:rider.updates:2"])
    }
}
