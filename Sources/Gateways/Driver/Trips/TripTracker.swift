import Codec
import Domain
import Kafka
import Logging
import Runtime
import Support
import Synchronization

/// Tracker of the drivers' trips, read from the topic `trips`, for the sampling advice.
///
/// Each gateway reads all partitions, starting one day back, because a device may connect to any gateway long after its
/// driver has accepted a trip. The topic has only a few records per trip.
final class TripTracker: Sendable {
    typealias Change = (driver: String, trips: KnownTrips)

    private static let pollWaitMilliseconds = 50
    private static let sweepInterval = Duration.seconds(60)

    private let context: WorkerContext
    private let table = Mutex(DriverTripTable())
    private let partitions = Mutex<Int?>(nil)

    init(_ context: WorkerContext) { self.context = context }

    /// Returns the trips of a driver, or `nil` if none are known; safe to call on any thread.
    func trips(of driver: String) -> KnownTrips? { table.withLock { $0.trips(of: driver) } }

    /// Sets the number of partitions, for which ``run(deliver:)`` waits; safe to call on any thread.
    func begin(partitions count: Int) { partitions.withLock { $0 = count } }

    /// Waits for ``begin(partitions:)``, then reads until shutdown, on a dedicated thread.
    ///
    /// `deliver` receives the changes of one poll, in order.
    func run(deliver: ([Change]) -> Void) throws {
        guard let partitions = waitForPartitions() else { return }
        let reader = try KafkaReader(context.kafka, log: WorkerLog.handler(context.logger))
        defer { reader.close() }
        let batch = reader.makeBatch(capacity: 1024)
        guard try start(reader, partitions) else { return }
        let trips = TripReader()
        var sweptAt = ContinuousClock.now
        while context.control.isRunning {
            try reader.poll(into: batch, waitMilliseconds: Self.pollWaitMilliseconds)
            let changes = apply(batch, trips)
            batch.removeAll()
            if !changes.isEmpty { deliver(changes) }
            guard sweptAt.duration(to: .now) >= Self.sweepInterval else { continue }
            sweptAt = .now
            table.withLock { $0.removeExpired(at: ClientSession.now) }
        }
    }

    /// Returns the number of partitions once it is set; `nil` on shutdown.
    private func waitForPartitions() -> Int? {
        while context.control.isRunning {
            if let count = partitions.withLock({ $0 }) { return count }
            context.control.pause(for: .milliseconds(50))
        }
        return nil
    }

    /// Starts to read the records of the last day.
    /// - Returns: `false` if the gateway shuts down before a broker answers.
    private func start(_ reader: KafkaReader, _ count: Int) throws -> Bool {
        let topic = context.names.full(PipelineTopic.trips.rawValue)
        let partitions = (0..<count).map { TopicPartition(topic: topic, partition: Int32($0)) }
        while context.control.isRunning {
            do {
                try reader.start(try Self.positions(of: partitions, reader))
                return true
            } catch {
                guard error.isRetriable else { throw error }
                context.control.pause(for: .seconds(1))
            }
        }
        return false
    }

    private static func positions(
        of partitions: [TopicPartition], _ reader: KafkaReader
    ) throws(KafkaError) -> [TopicPartition: KafkaPosition] {
        // The ends must be read first. Otherwise a record that is written between both requests, to a partition
        // without a record of the last day, would be skipped.
        let ends = try reader.offsetRanges(of: partitions)
        let since = Timestamp(milliseconds: WallClock.milliseconds() - DriverTripTable.openMilliseconds)
        let starts = try reader.offsets(of: partitions, atOrAfter: { _ in since })
        var positions: [TopicPartition: KafkaPosition] = [:]
        for partition in partitions {
            let offset = starts[partition] ?? ends[partition]?.high
            positions[partition] = offset.map { .offset($0) } ?? .beginning
        }
        return positions
    }

    private func apply(_ batch: KafkaBatch, _ reader: TripReader) -> [Change] {
        var changes: [Change] = []
        for index in 0..<batch.count {
            guard let record = batch.message(at: index)?.recordWithoutHeaders else {
                logFailure(of: batch[index])
                continue
            }
            switch reader.read(key: record.key, value: record.value) {
            case .trip(let message), .tripWithoutFacts(let message, _):
                let trips = table.withLock {
                    $0.apply(message, receivedAt: record.timestamp, at: ClientSession.now)
                }
                if let trips { changes.append((message.driverID, trips)) }
            case .tombstone(let driver):
                let ended = table.withLock { $0.endTrips(of: driver, at: ClientSession.now) }
                changes += ended.map { (driver, $0) }
            // Unreadable messages do not change the trips of eta-worker either.
            case .unreadable: break
            }
        }
        return changes
    }

    private func logFailure(of entry: KafkaBatch.Entry?) {
        guard case .failure(_, _, _, let error)? = entry else { return }
        context.logger.warning(
            "Trips cannot be read; sampling advice may be outdated.",
            metadata: .of([.error: "\(error)"]))
    }
}
