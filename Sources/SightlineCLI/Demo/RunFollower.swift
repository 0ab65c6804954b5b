import Recordings
import Foundation
import Kafka
import Pipeline
import Observability
import Synchronization
import Tracking
import Wire

/// Reads all topics of a run as they are written, on a thread of its own, into a ``RunLedger``.
final class RunFollower: Sendable {
    /// The topics followed; their places number them.
    static let topics: [PipelineTopic] = [
        .rawLocations, .trips, .locations, .locationsDeadLetter, .warnings, .tripEtas, .tripsDeadLetter, .riderUpdates,
    ]

    private struct State: Sendable {
        var ledger: RunLedger
        /// The offset to be read next of each partition.
        var positions: [TopicPartition: Int64]
        var partitionsAtEnd: Set<TopicPartition> = []
        var heardAt: ContinuousClock.Instant
        var failure: KafkaError?
    }

    private let access: PipelineAccess
    /// Where the run begins in every partition of every topic.
    let starts: [TopicPartition: Int64]
    private let state: Mutex<State>
    private let mayStop = Atomic<Bool>(false)
    private let ended = DispatchSemaphore(value: 0)

    /// Finds the ends of all topics: the run begins there.
    /// - Throws: ``InputError`` when topics are missing, ``KafkaError`` when no broker answers.
    init(_ access: PipelineAccess) throws {
        self.access = access
        let partitions = try access.partitionCount(of: Self.topics)
        let reader = try KafkaReader(access.kafka, log: PipelineAccess.log)
        var from: [TopicPartition: KafkaReader.Start] = [:]
        for topic in Self.topics {
            for partition in 0..<Int32(partitions) {
                from[TopicPartition(topic: access.name(of: topic), partition: partition)] = .position(.end)
            }
        }
        let starts = try reader.readToEnd(from) { _, _, _ in }
        reader.close()
        self.starts = starts
        func offsets(of topic: PipelineTopic) -> [Int32: Int64] {
            let name = access.name(of: topic)
            return Dictionary(
                uniqueKeysWithValues: starts.filter { $0.key.topic == name }.map { ($0.key.partition, $0.value) })
        }
        let scope = RunScope(raw: offsets(of: .rawLocations), trips: offsets(of: .trips))
        state = Mutex(State(ledger: RunLedger(scope: scope), positions: starts, heardAt: .now))
    }

    /// Begins to read.
    func start() {
        let thread = Thread { [self] in
            do throws(KafkaError) {
                try follow()
            } catch {
                state.withLock { $0.failure = error }
            }
            ended.signal()
        }
        thread.name = "follower"
        thread.start()
    }

    /// Stops reading and waits until that is so.
    func stop() {
        mayStop.store(true, ordering: .relaxed)
        ended.wait()
        ended.signal()
    }

    /// Reads or changes what is known.
    func withLedger<Result: Sendable>(_ body: (inout RunLedger) -> Result) -> Result {
        state.withLock { body(&$0.ledger) }
    }

    /// Where each partition has been read to, whether all were at their end, and how long nothing new has come.
    var progress: (positions: [TopicPartition: Int64], isAtEnd: Bool, quietSeconds: Double) {
        state.withLock {
            let quiet = ReplayPlan.seconds($0.heardAt.duration(to: .now))
            return ($0.positions, $0.partitionsAtEnd.count == $0.positions.count, quiet)
        }
    }

    /// - Throws: what ended the reading before its time.
    func checkFailure() throws {
        if let failure = state.withLock({ $0.failure }) { throw failure }
    }

    private func follow() throws(KafkaError) {
        let reader = try KafkaReader(access.kafka, log: PipelineAccess.log)
        let batch = reader.makeBatch(capacity: 4096)
        defer {
            batch.removeAll()
            reader.close()
        }
        let scribe = RunScribe()
        let topics = Self.topics.map { access.name(of: $0) }
        try reader.start(starts.mapValues { .offset($0) })
        let places = topics.map { reader.index(of: $0) }
        while !mayStop.load(ordering: .relaxed) {
            try reader.poll(into: batch, waitMilliseconds: 50)
            let seenAt = Timestamp(milliseconds: WallClock.milliseconds())
            let failure = state.withLock { state in
                take(batch, seenAt: seenAt, places: places, names: topics, scribe: scribe, into: &state)
            }
            batch.removeAll()
            if let failure { throw failure }
        }
    }

    private func take(
        _ batch: KafkaBatch, seenAt: Timestamp, places: [Int], names: [String], scribe: RunScribe,
        into state: inout State
    ) -> KafkaError? {
        for index in 0..<batch.count {
            switch batch[index] {
            case .message(let message)?:
                guard let place = places.firstIndex(of: message.input) else { continue }
                let partition = TopicPartition(topic: names[place], partition: message.partition)
                state.positions[partition] = message.offset + 1
                state.partitionsAtEnd.remove(partition)
                state.heardAt = .now
                scribe.write(message.record, of: Self.topics[place], seenAt: seenAt, into: &state.ledger)
            case .end(let input, let partition, _)?:
                guard let place = places.firstIndex(of: input) else { continue }
                state.partitionsAtEnd.insert(TopicPartition(topic: names[place], partition: partition))
            case .failure(_, _, let error)?: if !error.isRetriable { return error }
            case nil: continue
            }
        }
        return nil
    }
}
