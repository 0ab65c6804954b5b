import Foundation
import Postgres
import Support
import TestSupport
import Testing

@testable import Domain

@Suite("History sink: trips", .blocking, .enabled(if: HistoryDatabase.server != nil, HistoryDatabase.hint))
struct HistoryTripTests {
    private let database: HistoryDatabase
    private let etas = HistoryRecords(.tripEtas)

    init() throws { database = try HistoryDatabase() }

    @Test("a state change is stored as one trip event with the fields of its message")
    func tripEvent() throws {
        var eta = trip(atSecond: 0, state: .accepted)
        eta.riderID = "usr_9"
        eta.version = 12
        eta.change = TripEta.Change(
            previousState: .requested, triggeredBy: "DRIVER", changedAt: eta.computedAt, routePolyline: "_p~iF~ps|U",
            contextJSON: #"{"a":"\u0001 and \\"}"#)
        etas.addEta(eta, origin: .trips, event: 512)
        var end = trip(atSecond: 1, state: .completed)
        end.change = TripEta.Change(previousState: .inProgress, changedAt: end.computedAt)
        end.drivenMeters = 2000
        end.plannedMeters = 1200
        end.snappedMeters = 1250
        end.fareChecks = [.longRoute, .distanceInflation]
        etas.addEta(end, origin: .trips, event: 513)
        _ = try database.sink().write([etas.batch()])
        #expect(
            try database.lines(
                """
                SELECT event_id(event_is_trip, kafka_partition, event_offset, event_part), trip_id, driver_id, rider_id, kind,
                    previous_state, state, triggered_by, version, route_polyline, context IS NOT NULL, driven_meters,
                    planned_meters, snapped_meters, is_long_route, is_distance_inflated FROM trip_events ORDER BY event_offset
                """) == [
                    "t0-512|tr_1|drv_1|usr_9|ride|REQUESTED|ACCEPTED|DRIVER|12|_p~iF~ps|U|t|-|-|-|f|f",
                    "t0-513|tr_1|drv_1|-|ride|IN_PROGRESS|COMPLETED|-|-|-|f|2000|1200|1250|t|t",
                ])
        #expect(try database.lines("SELECT raw_event, trip_event FROM sink_progress") == ["-|t0-513"])
    }

    @Test("the corrected distance of an ended trip is stored as a trip event, although its window is already sampled")
    func correctedDistance() throws {
        var end = trip(atSecond: 1, state: .completed)
        end.change = TripEta.Change(previousState: .inProgress, changedAt: end.computedAt)
        end.drivenMeters = 900
        etas.addEta(end, origin: .trips, event: 513)
        etas.addEta(trip(atSecond: 2, state: .completed))
        var corrected = trip(atSecond: 3, state: .completed)
        corrected.change = TripEta.Change(
            previousState: .completed, triggeredBy: "LATE_LOCATIONS", changedAt: end.computedAt)
        corrected.drivenMeters = 1300
        etas.addEta(corrected)
        _ = try database.sink().write([etas.batch()])
        #expect(
            try database.lines(
                "SELECT event_is_trip, previous_state, state, triggered_by, driven_meters FROM trip_events ORDER BY computed_at"
            ) == ["t|IN_PROGRESS|COMPLETED|-|900", "f|COMPLETED|COMPLETED|LATE_LOCATIONS|1300"])
        #expect(try sampledSeconds("tr_1") == [1])
    }

    @Test("arrival times are sampled once per trip and window of 30 s")
    func etaSampling() throws {
        for second in 0..<95 {
            etas.addEta(trip(atSecond: second))
            etas.addEta(trip("tr_2", atSecond: second))
        }
        _ = try database.sink().write([etas.batch()])
        #expect(try sampledSeconds("tr_1") == [0, 30, 60, 90])
        #expect(try sampledSeconds("tr_2") == [0, 30, 60, 90])
        #expect(try database.number("SELECT next_offset FROM sink_progress") == 190)
    }

    @Test("arrival times of a stale vehicle are not sampled")
    func staleVehicle() throws {
        for second in 0..<95 {
            var eta = trip(atSecond: second)
            eta.isStale = second >= 45
            etas.addEta(eta)
        }
        _ = try database.sink().write([etas.batch()])
        #expect(try sampledSeconds("tr_1") == [0, 30])
    }

    @Test("a restart does not change which arrival times are sampled", arguments: [1, 29, 30, 31, 45, 60, 94])
    func samplingAcrossRestarts(stop: Int64) throws {
        for second in 0..<95 { etas.addEta(trip(atSecond: second, passedStops: second >= 44 ? 1 : 0)) }
        _ = try database.sink().write([etas.batch(to: stop)])
        _ = try database.sink().write([etas.batch(from: stop)])
        #expect(try sampledSeconds("tr_1") == [0, 30, 60, 90])
        #expect(try database.number("SELECT count(*) FROM eta_history WHERE is_passed") == 1)
        #expect(try database.duplicateCount() == 0)
    }

    @Test("a write that is repeated after a failure stores the same samples")
    func samplingAfterFailure() throws {
        for second in 0..<40 { etas.addEta(trip(atSecond: second)) }
        let sink = database.sink()
        _ = try sink.write([etas.batch(to: 5)])
        try database.connection.execute("ALTER TABLE sink_progress RENAME TO elsewhere")
        #expect(throws: PostgresError.self) { try sink.write([etas.batch(from: 5)]) }
        try database.connection.execute("ALTER TABLE elsewhere RENAME TO sink_progress")
        _ = try sink.write([etas.batch(from: 5)])
        #expect(try sampledSeconds("tr_1") == [0, 30])
    }

    @Test("a passed stop is stored once with the time of passing; arrival times over an hour ahead are not stored")
    func passedAndFar() throws {
        for second in stride(from: 0, to: 120, by: 10) {
            var eta = trip(atSecond: second, passedStops: second >= 50 ? 1 : 0)
            eta.stops.append(stop("far", kind: .stop, at: eta.computedAt, seconds: 3601))
            etas.addEta(eta)
        }
        _ = try database.sink().write([etas.batch()])
        #expect(
            try database.lines(
                "SELECT stop_id, stop_index, stop_kind, seconds, arrives_at = to_timestamp($1::bigint / 1000.0) FROM eta_history WHERE is_passed",
                [.integer(etas.start + 44_000)]) == ["pickup|0|pickup|-|t"])
        #expect(try database.number("SELECT count(*) FROM eta_history WHERE stop_id = 'far'") == 0)
    }

    /// Returns the seconds since the start at which the dropoff's arrival time was sampled.
    private func sampledSeconds(_ trip: String) throws -> [Int64] {
        try database.connection.execute(
            """
            SELECT (extract(epoch FROM computed_at) * 1000 - $2::bigint)::bigint / 1000 FROM eta_history
            WHERE trip_id = $1 AND stop_id = 'dropoff' AND NOT is_passed ORDER BY computed_at
            """, [.text(trip), .integer(etas.start)]
        ).rows.map { try $0.integer(0) }
    }

    private func trip(
        _ id: String = "tr_1", atSecond second: Int, state: TripState = .inProgress, passedStops: Int = 0
    ) -> TripEta {
        let at = Timestamp(milliseconds: etas.start + Int64(second) * 1000)
        var eta = TripEta(tripID: id, driverID: "drv_1", state: state, computedAt: at)
        eta.stops = [
            stop("pickup", kind: .pickup, at: at, seconds: 60), stop("dropoff", kind: .dropoff, at: at, seconds: 600),
        ]
        for index in 0..<passedStops {
            eta.stops[index].status = .passed
            eta.stops[index].seconds = -1
            eta.stops[index].arrivesAt = Timestamp(milliseconds: etas.start + 44_000)
        }
        return eta
    }

    private func stop(_ id: String, kind: TripMessage.Stop.Kind, at: Timestamp, seconds: Int) -> TripEta.Stop {
        var stop = TripEta.Stop(id: id, kind: kind, status: .valid)
        stop.seconds = seconds
        stop.minSeconds = seconds - 20
        stop.maxSeconds = seconds + 20
        stop.arrivesAt = at.advanced(bySeconds: Double(seconds))
        stop.confidence = .high
        return stop
    }
}
