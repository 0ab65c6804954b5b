import Codec
import Kafka
import Logging
import Model
import NIOCore
import Runtime
import Support
import Synchronization

/// Reads `trips`, so that devices are advised by the trips that the pipeline knows.
///
/// Each gateway reads all partitions, from a day back: a device may connect long after its driver has accepted a trip, to
/// any gateway. The topic has a few records for each trip.
final class TripFollower: Sendable {
    /// A driver whose trips may have changed.
    struct Change: Sendable {
        let driver: String
        let trips: KnownTrips
    }

    private static let pollWaitMilliseconds = 50
    private static let lookMilliseconds = 50
    private static let retryMilliseconds = 1000
    private static let sweepInterval = Duration.seconds(60)

    private let frame: WorkerContext
    private let book = Mutex(DriverTripTable())
    /// Of the topic; `nil` until the broker has told.
    private let partitions = Mutex<Int?>(nil)

    init(_ frame: WorkerContext) { self.frame = frame }

    /// The trips of a driver, for any thread; `nil` where the pipeline is not known to have one.
    func trips(of driver: String) -> KnownTrips? { book.withLock { $0.trips(of: driver) } }

    /// From now on the topic can be read; may be called by any thread.
    func begin(partitions count: Int) { partitions.withLock { $0 = count } }

    /// Reads until told to stop, from ``begin(partitions:)`` on; for a thread of its own.
    ///
    /// `deliver`: gets the changes of one poll, in order.
    func run(deliver: ([Change]) -> Void) throws {
        guard let partitions = waitForPartitions() else { return }
        let reader: KafkaReader
        do { reader = try KafkaReader(frame.kafka, log: WorkerLog.handler(frame.logger)) } catch {
            throw WorkerError(error)
        }
        defer { reader.close() }
        let batch = reader.makeBatch(capacity: 1024)
        guard try start(reader, partitions, batch) else { return }
        let trips = TripReader()
        var sweptAt = ContinuousClock.now
        while frame.control.isRunning {
            do { try reader.poll(into: batch, waitMilliseconds: Self.pollWaitMilliseconds) } catch {
                throw WorkerError(error)
            }
            let changes = take(batch, trips)
            batch.removeAll()
            if !changes.isEmpty { deliver(changes) }
            guard sweptAt.duration(to: .now) >= Self.sweepInterval else { continue }
            sweptAt = .now
            book.withLock { $0.forget(at: ClientSession.now) }
        }
    }

    /// - Returns: `nil` when the gateway was told to stop meanwhile.
    private func waitForPartitions() -> Int? {
        while frame.control.isRunning {
            if let count = partitions.withLock({ $0 }) { return count }
            frame.control.pause(for: .milliseconds(Self.lookMilliseconds))
        }
        return nil
    }

    /// Begins to read where the topic was a day ago.
    /// - Returns: `false` when the gateway was told to stop before a broker answered.
    private func start(_ reader: KafkaReader, _ count: Int, _ batch: KafkaBatch) throws -> Bool {
        let topic = frame.names.full(PipelineTopic.trips.rawValue)
        let partitions = (0..<count).map { TopicPartition(topic: topic, partition: Int32($0)) }
        while frame.control.isRunning {
            do {
                try reader.start(try Self.positions(of: partitions, reader))
                return true
            } catch {
                guard error.isRetriable else { throw WorkerError(error) }
                frame.control.pause(for: .milliseconds(Self.retryMilliseconds))
            }
        }
        return false
    }

    private static func positions(
        of partitions: [TopicPartition], _ reader: KafkaReader
    ) throws(KafkaError) -> [TopicPartition: KafkaPosition] {
        // The ends first: what is written meanwhile to a partition without a record of the last day lies behind its end.
        let ends = try reader.watermarks(of: partitions)
        let since = Timestamp(milliseconds: WallClock.milliseconds() - DriverTripTable.openMilliseconds)
        let starts = try reader.offsets(of: partitions, atOrAfter: { _ in since })
        var positions: [TopicPartition: KafkaPosition] = [:]
        for partition in partitions {
            let offset = starts[partition] ?? ends[partition]?.high
            positions[partition] = offset.map { .offset($0) } ?? .beginning
        }
        return positions
    }

    private func take(_ batch: KafkaBatch, _ reader: TripReader) -> [Change] {
        var changes: [Change] = []
        for index in 0..<batch.count {
            guard let record = batch.message(at: index)?.recordWithoutHeaders else {
                note(batch[index])
                continue
            }
            switch reader.read(key: record.key, value: record.value) {
            case .trip(let message), .tripWithoutFacts(let message, _):
                let trips = book.withLock {
                    $0.follow(message, receivedAt: record.timestamp, at: ClientSession.now)
                }
                if let trips { changes.append(Change(driver: message.driverID, trips: trips)) }
            case .tombstone(let driver):
                let ended = book.withLock { $0.end(driver: driver, at: ClientSession.now) }
                changes += ended.map { Change(driver: driver, trips: $0) }
            // What cannot be read, the pipeline does not follow either.
            case .unreadable: break
            }
        }
        return changes
    }

    private func note(_ entry: KafkaBatch.Entry?) {
        guard case .failure(_, _, _, let error)? = entry else { return }
        frame.logger.warning(
            "A partition of trips cannot be read for now; devices are advised by the trips known before.",
            metadata: .of([.error: "\(error)"]))
    }
}
