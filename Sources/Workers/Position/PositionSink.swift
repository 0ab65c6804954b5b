import Codec
import Model
import Processing
import Redis
import Support

/// Keeps the latest of everything in Redis: drivers from `driver.locations`, trips from `rider.updates`.
///
/// Keys, each with the prefix of ``PositionSinkConfiguration/keyPrefix`` in front; times are epoch milliseconds, an
/// unknown value is an empty text:
///
/// | key | type | holds |
/// |---|---|---|
/// | `driver:{id}` | hash | `lat`, `lon`, `heading`, `speed_mps`, `accuracy_meters`, `confidence`, `fixed_at`, `received_at`, `event_id`, `trip_id`, `is_halted` (0 or 1), `area` (empty while the driver is in no geo set); of the last verdict that had a position or changed the driver's standing `risk`, `is_flagged` (0 or 1), `is_suspect` (0 or 1), `risk_signals`, `risk_event_id` |
/// | `driver:{id}:trail` | list | newest first: `lat,lon,fixed_at,heading,speed_mps` |
/// | `drivers:geo:{area}` | geo set | ids of drivers by position, without those whom ``NearestDrivers`` leaves out, one set per ``GeoArea`` |
/// | `drivers:areas` | set | the areas that have a geo set |
/// | `trip:{id}`, `route:{id}` | hash | `clock:{partition}` (the partition's last events in it), `event_id`, `updated_at`, `state`; as JSON `position`, `eta`, `change`, `route_polyline`: the newest payload or member of its kind |
/// | `trip:{id}:events`, `route:{id}:events` | stream | every update: `event_id`, `message` (JSON); Redis numbers the entries |
/// | `progress:{topic}:{partition}` | string | ``StoredWatermark`` |
///
/// Snapshot and stream of a channel are written in the same transaction as their partition's clock. A write puts each
/// partition into one transaction, and small ones together. Of a driver's positions in a batch only the newest is
/// written (and the trail's), so a backlog costs drivers, not updates.
package final class PositionSink: Sink {
    package static let name = "position"
    package static let topics = [PipelineTopic.locations.rawValue, PipelineTopic.riderUpdates.rawValue]
    /// Every verdict is read anyway, and says of which event it is.
    package static let topicsWithoutHeaders: Set = [PipelineTopic.locations.rawValue]

    let configuration: PositionSinkConfiguration
    let prefix: [UInt8]
    private(set) var connection: RedisConnection?
    var commands = RedisCommands()
    var drivers: DriverBatch
    var trips: TripBatch
    let verdicts = VerdictReader()
    let envelopes = RiderUpdateEnvelopeReader()
    /// What this process knows of the partitions it writes; see ``DriverBatch`` on epochs.
    var partitions: [SinkPartition: PartitionKnowledge] = [:]
    var lastEpoch: UInt32 = 0
    var sweep = SweepProgress()
    private let started = ContinuousClock.now

    struct PartitionKnowledge {
        /// The clock that this process's last write left in Redis.
        var clock: StoredWatermark
        var epoch: UInt32
    }

    /// - Throws: a fatal ``ClassifiedError`` that lists what is wrong with the settings.
    package init(_ configuration: PositionSinkConfiguration) throws {
        let problems = configuration.problems
        guard problems.isEmpty else {
            throw PositionSinkError(description: problems.joined(separator: " "), isRetriable: false)
        }
        self.configuration = configuration
        prefix = Array(configuration.keyPrefix.utf8)
        drivers = DriverBatch(configuration: configuration)
        trips = TripBatch(configuration: configuration)
    }

    package func connect() throws {
        guard connection == nil else { return }
        let connection = try RedisConnection(configuration.redis)
        let server = try connection.call("INFO", "server").text ?? ""
        let version = server.split(whereSeparator: \.isNewline)
            .first { $0.hasPrefix("redis_version:") }?.dropFirst("redis_version:".count)
        if let version, let major = Int(version.prefix { $0 != "." }), major < 5 {
            throw PositionSinkError(
                description: "Redis \(version) has no streams; Redis 5 or later is needed.", isRetriable: false)
        }
        self.connection = connection
    }

    package func disconnect() {
        connection = nil
        commands.removeAll()
        partitions.removeAll()
        sweep = SweepProgress()
    }

    package func clocks(of partitions: [SinkPartition]) throws -> [SinkPartition: Int64] {
        guard !partitions.isEmpty else { return [:] }
        return try withConnection { connection in
            addClockRead(of: partitions)
            try connection.send(&commands)
            let stored = try storedClocks(in: try connection.receive(), of: partitions)
            var clocks: [SinkPartition: Int64] = [:]
            for (partition, clock) in zip(partitions, stored) { clocks[partition] = clock?.next }
            return clocks
        }
    }

    package func write(_ batches: [PartitionBatch], meanwhile: () -> Void) throws -> SinkReport {
        guard !batches.isEmpty else { return SinkReport() }
        return try withConnection { connection in
            var report = SinkReport()
            var remaining = batches
            // A conflict means that a partition was just written by another process, and the next attempt finds its clock
            // moved: two attempts for each partition reach the end, however many rivals there are.
            for _ in 0...2 * batches.count {
                remaining = try attempt(remaining, over: connection, into: &report, meanwhile)
                if remaining.isEmpty { return report }
            }
            throw PositionSinkError(
                description: "Something else than a position worker keeps changing the partitions' clocks in Redis; "
                    + "it is tried again.", isRetriable: true)
        }
    }

    package func now() throws -> Timestamp {
        try withConnection { connection in
            // Seconds, and the microseconds since.
            let parts = try connection.call("TIME").elements.compactMap(\.text).compactMap { Int64($0) }
            guard parts.count == 2 else { throw RedisError(.refused, "Redis answered TIME with something else.") }
            return Timestamp(milliseconds: parts[0] * 1000 + parts[1] / 1000)
        }
    }

    package func maintain(now: Timestamp) throws {
        try withConnection { try sweepSilentDrivers(now: now, over: $0) }
    }

    /// Milliseconds since the sink was made, which no change of the clock on the wall moves.
    var monotonicMilliseconds: Int64 { (ContinuousClock.now - started).wholeMilliseconds }

    /// Runs `body` over the connection, connecting first if needed.
    ///
    /// After any error the connection is given up: answers to what was sent may still be under way, and a server that
    /// refuses (a replica, one that is loading) is not to be asked over the same line again.
    private func withConnection<Result>(_ body: (RedisConnection) throws -> Result) throws -> Result {
        try connect()
        guard let connection else { preconditionFailure("connect() returned without a connection.") }
        do {
            return try body(connection)
        } catch {
            disconnect()
            throw error
        }
    }
}

extension PositionSink {
    /// Adds the command that reads the clocks of `partitions`.
    func addClockRead(of partitions: [SinkPartition]) {
        commands.begin("MGET", arguments: partitions.count)
        for partition in partitions { commands.add(clockKey(of: partition)) }
    }

    /// Reads the answer to ``addClockRead(of:)``; `nil` for partitions never written.
    func storedClocks(in reply: RedisReply, of partitions: [SinkPartition]) throws -> [StoredWatermark?] {
        try zip(partitions, reply.elements).map { partition, element in
            guard let text = element.text else { return nil }
            guard let clock = StoredWatermark(text) else {
                throw PositionSinkError(
                    description:
                        "The Redis key \(clockKey(of: partition)) does not hold a clock; delete it and the partition is "
                        + "read again from its beginning.",
                    isRetriable: false)
            }
            return clock
        }
    }

    func clockKey(of partition: SinkPartition) -> String {
        "\(configuration.keyPrefix)progress:\(partition.topic):\(partition.partition)"
    }
}
