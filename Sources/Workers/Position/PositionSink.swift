import Codec
import Domain
import Processing
import Redis
import Support

/// Sink that writes driver positions and trip snapshots to Redis.
///
/// docs/storage.md lists the keys. Each batch of a partition is written in one transaction with the
/// partition's watermark; small batches share a transaction. A transaction writes only the newest
/// of a driver's positions, apart from the trail, so the cost of a backlog depends on drivers, not
/// on updates.
package final class PositionSink: Sink {
    package static let name = "position"
    package static let topics = [PipelineTopic.locations.rawValue, PipelineTopic.riderUpdates.rawValue]
    /// Topics whose headers are not read, because parsed verdicts contain their event ids.
    package static let topicsWithoutHeaders: Set = [PipelineTopic.locations.rawValue]

    let configuration: PositionSinkConfiguration
    private let prefix: UnsafeMutableRawBufferPointer
    let watermarks: RedisWatermarks
    private(set) var connection: RedisConnection?
    var commands = RedisCommands()
    var drivers: DriverBatch
    var trips: TripBatch
    let verdicts = VerdictReader()
    let envelopes = RiderUpdateEnvelopeReader()
    /// Partitions that this process wrote and that, to its knowledge, no other process has written since.
    var partitions: [SinkPartition: WrittenPartition] = [:]
    var lastGeneration: UInt32 = 0
    var sweep = SweepProgress()
    private let started = ContinuousClock.now

    struct WrittenPartition {
        /// Progress stored by this process's last write.
        var progress: StoredWatermark
        /// Generation as in ``DriverBatch``.
        var generation: UInt32
    }

    package init(_ configuration: PositionSinkConfiguration) {
        self.configuration = configuration
        prefix = .allocate(byteCount: configuration.keyPrefix.utf8.count, alignment: 1)
        prefix.copyBytes(from: configuration.keyPrefix.utf8)
        watermarks = RedisWatermarks(keyPrefix: "\(configuration.keyPrefix)progress:")
        drivers = DriverBatch(configuration, prefix: UnsafeRawBufferPointer(prefix))
        trips = TripBatch(configuration, prefix: UnsafeRawBufferPointer(prefix))
    }

    deinit { prefix.deallocate() }

    package func connect() throws {
        guard connection == nil else { return }
        let connection = try RedisConnection(configuration.redis)
        let server = try connection.call("INFO", "server").text ?? ""
        let version = server.split(whereSeparator: \.isNewline).first { $0.hasPrefix("redis_version:") }?.dropFirst(14)
        if let version, let major = Int(version.prefix { $0 != "." }), major < 5 {
            throw SinkError("Redis \(version) has no streams; use Redis 5 or later.")
        }
        self.connection = connection
    }

    package func disconnect() {
        connection = nil
        commands.removeAll()
        partitions.removeAll()
        sweep = SweepProgress()
    }

    package func positions(of partitions: [SinkPartition]) throws -> [SinkPartition: SinkPosition] {
        guard !partitions.isEmpty else { return [:] }
        return try withConnection { try watermarks.positions(of: partitions, over: $0) }
    }

    package func write(_ batches: [PartitionBatch], meanwhile: () -> Void) throws -> SinkReport {
        guard !batches.isEmpty else { return SinkReport() }
        return try withConnection { connection in
            var report = SinkReport()
            var remaining = batches
            // After a conflict, another process has advanced a partition, which the next attempt
            // reports as superseded. Two attempts per batch therefore suffice.
            for _ in 0...2 * batches.count {
                remaining = try attempt(remaining, over: connection, into: &report, meanwhile)
                if remaining.isEmpty { return report }
            }
            throw SinkError(
                "Another client keeps changing the progress keys in Redis; the write is retried.", isRetriable: true)
        }
    }

    package func now() throws -> Timestamp {
        try withConnection { try $0.call("TIME").time() }
    }

    package func maintain(now: Timestamp) throws {
        try withConnection { try sweepSilentDrivers(now: now, over: $0) }
    }

    /// Milliseconds since the sink was created, by a monotonic clock.
    var monotonicMilliseconds: Int64 { (ContinuousClock.now - started).wholeMilliseconds }

    /// Runs `body` with a connection, and closes the connection after an error.
    ///
    /// Replies to earlier commands may be outstanding. If the server is a replica or is loading its
    /// data, a new connection may reach another server.
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

extension RedisError: ClassifiedError {}
