import Lanes
import Postgres

/// The lanes' clocks and the days' partitions.
extension HistorySink {
    /// Locks the lanes and picks the batches that begin where their lane stands.
    ///
    /// The lock keeps other writers of these lanes waiting until the commit, so comparing first and moving last is one
    /// compare-and-swap.
    func hold(
        _ batches: [LaneBatch], _ connection: PostgresConnection, _ report: inout SinkReport
    ) throws -> [HeldBatch] {
        let lanes = Array(Set(batches.map(\.lane)))
        try enter(lanes.filter { !knownLanes.contains($0) }, connection)
        var stored = try lock(lanes, connection)
        var held: [HeldBatch] = []
        for batch in batches {
            guard let state = stored[batch.lane], state.next == batch.from else {
                if !report.superseded.contains(batch.lane) { report.superseded.append(batch.lane) }
                if stored[batch.lane] == nil { knownLanes.remove(batch.lane) }
                continue
            }
            stored[batch.lane]?.next = batch.to
            held.append(HeldBatch(batch: batch, clock: state.clock))
        }
        return held
    }

    /// Moves the clocks of the lanes held.
    /// - Returns: those lanes.
    func advance(_ held: [HeldBatch], _ connection: PostgresConnection) throws -> [SinkLane] {
        // A later batch of the same lane stands for the earlier one.
        var last: [SinkLane: HeldBatch] = [:]
        for one in held { last[one.batch.lane] = one }
        let moved = Array(last.values)
        let result = try connection.execute(
            """
            UPDATE lane_clock c SET next_offset = n.next_offset, raw_clock = nullif(n.raw_clock, ''),
                trip_clock = nullif(n.trip_clock, ''), updated_at = now()
            FROM unnest($2::text[], $3::integer[], $4::bigint[], $5::text[], $6::text[])
                AS n (topic, lane, next_offset, raw_clock, trip_clock)
            WHERE c.sink = $1 AND c.topic = n.topic AND c.lane = n.lane
            """,
            [
                .text(Self.name), .texts(moved.map(\.batch.lane.topic)),
                .integers(moved.map { Int64($0.batch.lane.lane) }), .integers(moved.map(\.batch.to)),
                .texts(moved.map { $0.clock.raw?.description ?? "" }),
                .texts(moved.map { $0.clock.trips?.description ?? "" }),
            ])
        precondition(result.affectedRows == moved.count, "A locked row stays until its transaction ends.")
        return moved.map(\.batch.lane)
    }

    /// Makes the partitions for the days of `batches`, in transactions of their own, whose locks are short.
    ///
    /// A day is asked for once between maintenances; should its partition not come about, rows go to the default one.
    /// - Returns: how many records are of days that get no partition.
    func ensurePartitions(for batches: [LaneBatch], _ connection: PostgresConnection) throws -> Int {
        var missing: Set<Int64> = []
        var outside = 0
        for batch in batches {
            var last: Int64?
            var isOutside = false
            for record in batch.records {
                let day = record.timestamp.day
                if day != last {
                    last = day
                    isOutside = !partitionedDays.contains(day)
                    if !isOutside, !ensuredDays.contains(day) { missing.insert(day) }
                }
                if isOutside { outside += 1 }
            }
        }
        guard !missing.isEmpty else { return outside }
        ensuredDays.formUnion(missing)
        do {
            // Asked for within the bounds as they are in this very statement, past midnight too. Days beyond the number
            // allowed begin in the default partition and are moved by the next maintenances.
            try connection.execute(
                """
                SELECT ensure_history_partitions(ARRAY(
                    SELECT day FROM (SELECT date '1970-01-01' + n::integer AS day FROM unnest($1::bigint[]) n) d,
                        history_day_bounds() b
                    WHERE day BETWEEN b.earliest AND b.latest
                    ORDER BY day DESC LIMIT (SELECT most FROM history_day_bounds())))
                """,
                [.integers(missing.sorted())])
        } catch let error as PostgresError where error.sqlState == "55P03" {
            // A long query reads the default partition; the next maintenance moves the rows.
        }
        return outside
    }

    /// Gives lanes never written before their row.
    private func enter(_ lanes: [SinkLane], _ connection: PostgresConnection) throws {
        guard !lanes.isEmpty else { return }
        let sorted = lanes.sorted { ($0.topic, $0.lane) < ($1.topic, $1.lane) }
        try connection.execute(
            """
            INSERT INTO lane_clock (sink, topic, lane, next_offset)
            SELECT $1, n.topic, n.lane, 0 FROM unnest($2::text[], $3::integer[]) AS n (topic, lane)
            ON CONFLICT DO NOTHING
            """,
            [.text(Self.name), .texts(sorted.map(\.topic)), .integers(sorted.map { Int64($0.lane) })])
    }

    private func lock(
        _ lanes: [SinkLane], _ connection: PostgresConnection
    ) throws -> [SinkLane: (next: Int64, clock: LaneClock)] {
        let result = try connection.execute(
            """
            SELECT topic, lane, next_offset, raw_clock, trip_clock FROM lane_clock
            WHERE sink = $1 AND (topic, lane) IN (SELECT * FROM unnest($2::text[], $3::integer[]))
            ORDER BY topic, lane FOR UPDATE
            """,
            [.text(Self.name), .texts(lanes.map(\.topic)), .integers(lanes.map { Int64($0.lane) })])
        var stored: [SinkLane: (next: Int64, clock: LaneClock)] = [:]
        for row in result.rows {
            let lane = SinkLane(topic: try row.text(0), lane: Int32(clamping: try row.integer(1)))
            let clock = LaneClock(
                raw: row.string(3).flatMap { EventID($0) }, trips: row.string(4).flatMap { EventID($0) })
            stored[lane] = (try row.integer(2), clock)
        }
        return stored
    }
}
