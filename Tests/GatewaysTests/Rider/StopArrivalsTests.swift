import Foundation
import Testing

@testable import Domain
@testable import Gateways

@Suite("The vehicles of a route and their arrivals at its stops")
struct StopArrivalsTests {
    /// A stop's id and the seconds until arrival; `nil` if the vehicle has passed the stop.
    private typealias Stop = (id: String, seconds: Int?)

    private static let start: Int64 = 1_770_000_000_000

    /// Returns the time `seconds` after ``start``, in the same minute.
    private static func time(_ seconds: Double) -> String {
        String(format: "2026-02-02T02:40:%06.3fZ", seconds)
    }

    private func position(
        _ run: String, _ vehicle: String, at seconds: Double, passed: String? = nil, next: String, eta: Int? = nil
    ) -> String {
        var members = #""streamId":"\#(run)","etaId":"e","vehicleNumber":"\#(vehicle)""#
        if let eta { members += #","eta":\#(eta),"minEta":\#(eta - 5),"maxEta":\#(eta + 5),"distanceToReach":80"# }
        members += #","latLng":{"lat":1,"lng":2},"isBusHalted":false,"nextStopId":"\#(next)","lastStopId":"S3""#
        if let passed { members += #","passedStopId":"\#(passed)""# }
        members += #","timeStamp":\#(Self.start + Int64(seconds * 1000)),"isStale":false,"staleSeconds":0"#
        return update("vehicle_position", members + #","occupancyLevel":"UNKNOWN""#)
    }

    private func left(_ run: String, _ vehicle: String) -> String {
        update(
            "vehicle_left",
            #""streamId":"\#(run)","vehicleNumber":"\#(vehicle)","state":"COMPLETED","timeStamp":\#(Self.start)"#)
    }

    private func update(_ type: String, _ members: String) -> String {
        #"{"type":"\#(type)","event_id":"1-2","channel":"route:R","payload":{\#(members)}}"#
    }

    private func route(_ updates: [String]) throws -> StoredChannel {
        let event = try #require(EventID("1-2"))
        return StoredChannel(entries: updates.map { .init(event: event, message: Array($0.utf8)) })
    }

    private func trip(_ stops: [Stop], at seconds: Double, staleSeconds: Int? = 0) -> StoredChannel {
        let list = stops.map { stop in
            let status = stop.seconds == nil ? "PASSED" : "VALID"
            return #"{"stop_id":"\#(stop.id)","kind":"STOP","status":"\#(status)","seconds":\#(stop.seconds ?? -1),"#
                + #""delay":"UNKNOWN","computed_at":"\#(Self.time(seconds))"}"#
        }
        let age = staleSeconds.map { #","stale_seconds":\#($0)"# } ?? ""
        let eta =
            #"{"computed_at":"\#(Self.time(seconds))","is_stale":false\#(age),"stop_etas":[\#(list.joined(separator: ","))],"#
            + #""traffic_conditions":"UNKNOWN"}"#
        return StoredChannel(fields: ["state": Array("IN_PROGRESS".utf8), "eta": Array(eta.utf8)])
    }

    /// Returns the vehicle numbers in the route's snapshot.
    private func vehicles(_ updates: [String]) throws -> [String] {
        let text = ChannelState.snapshot(of: try #require(ChannelName("route:R")), try route(updates)).finished
        let object = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
        return (object?["vehicles"] as? [[String: Any]] ?? []).compactMap { $0["vehicleNumber"] as? String }
    }

    private func arrivals(at stop: String, _ updates: [String], _ trip: StoredChannel) throws -> [[String: Any]] {
        var arrivals = StopArrivals(stopID: stop)
        for run in arrivals.runs(of: try route(updates), routeID: "R") { arrivals.add(run, trip) }
        return try arrivals.list.compactMap {
            try JSONSerialization.jsonObject(with: Data($0)) as? [String: Any]
        }
    }

    @Test("vehicles and arrivals exclude a run that has ended")
    func endedRun() throws {
        let ended = position("run1", "A", at: 0, next: "S1", eta: 30)
        #expect(try vehicles([ended, position("run2", "B", at: 0, next: "S1")]) == ["A", "B"])
        let updates = [ended, position("run2", "B", at: 0, next: "S1"), left("run1", "A")]
        #expect(try vehicles(updates) == ["B"])
        #expect(
            StopArrivals(stopID: "S1").runs(of: try route(updates), routeID: "R").map(\.position.streamID) == ["run2"])
    }

    @Test("a vehicle's next run is kept if the previous run ends after the next run has started")
    func nextRun() throws {
        let updates = [
            position("run1", "A", at: 0, next: "S1"), position("run2", "A", at: 1, next: "S1"), left("run1", "A"),
        ]
        #expect(try vehicles(updates) == ["A"])
        #expect(try vehicles(updates + [left("run2", "A")]).isEmpty)
    }

    @Test(
        "a stop that the position reports as passed is passed, regardless of the ETA",
        arguments: ["S1", "S2"])
    func passed(last: String) throws {
        let next = last == "S1" ? "S2" : "S3"
        let updates = [position("run1", "A", at: 40, passed: last, next: next, eta: 50)]
        let stored = trip([("S1", 26), ("S2", 60), ("S3", 90)], at: 0)
        let first = try #require(arrivals(at: "S1", updates, stored).first)
        #expect(first["eta"] as? Int == -1)
        let second = try #require(arrivals(at: "S2", updates, stored).first)
        #expect(second["eta"] as? Int == (last == "S1" ? 50 : -1))
        let third = try #require(arrivals(at: "S3", updates, stored).first)
        #expect(third["eta"] as? Int == (last == "S1" ? 90 : 50))
    }

    @Test("the arrival at the next stop comes from the vehicle's position, with the position's timestamp")
    func next() throws {
        let updates = [position("run1", "A", at: 20, next: "S1", eta: 12)]
        let arrival = try #require(arrivals(at: "S1", updates, trip([("S1", 26), ("S2", 60)], at: 0)).first)
        #expect(arrival["eta"] as? Int == 12 && arrival["minEta"] as? Int == 7 && arrival["maxEta"] as? Int == 17)
        #expect(arrival["timeStamp"] as? Int64 == Self.start + 20_000)
    }

    @Test(
        "a position older than the one used for the ETA is ignored",
        arguments: [(8.999, 26), (9, 99), (9.5, 99)])
    func older(at seconds: Double, expected: Int) throws {
        let updates = [position("run1", "A", at: seconds, next: "S1", eta: 99)]
        // Computed at 20 s from a position at 9 to 10 s; the age of 10 s is rounded down.
        let arrival = try #require(arrivals(at: "S1", updates, trip([("S1", 26)], at: 20, staleSeconds: 10)).first)
        #expect(arrival["eta"] as? Int == expected)
    }

    @Test("after the first visit of a stop that is served twice, the second arrival is returned")
    func twice() throws {
        let updates = [position("run1", "A", at: 20, passed: "S1", next: "S2", eta: 12)]
        let stored = trip([("S1", 5), ("S2", 30), ("S1", 70), ("S3", 90)], at: 0)
        #expect(try #require(arrivals(at: "S1", updates, stored).first)["eta"] as? Int == 70)
    }

    @Test("a stop that the ETA reports as passed is passed, regardless of the position")
    func knownPassed() throws {
        let updates = [position("run1", "A", at: 20, next: "S1", eta: 12)]
        let arrival = try #require(arrivals(at: "S1", updates, trip([("S1", nil), ("S2", 30)], at: 20)).first)
        #expect(arrival["eta"] as? Int == -1)
    }
}
