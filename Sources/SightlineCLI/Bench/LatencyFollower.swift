import Foundation
import Kafka
import Pipeline
import Observability
import Synchronization
import Tracking
import Wire

/// Reads raw records and what is made of them as they are appended, on a thread of its own, and notes how far apart
/// they are.
final class LatencyFollower: Sendable {
    fileprivate struct State: Sendable {
        var countedFrom = Timestamp(milliseconds: .max)
        /// Of the raw records themselves: one hop over the broker, of which an update takes four.
        var hops = LatencyHistogram()
        /// In the order of ``LatencyFollower/derived``.
        var stretches = derived.map { _ in Stretch() }
        var failure: KafkaError?
    }

    /// The way from the raw topic to one of those made from it.
    fileprivate struct Stretch: Sendable {
        var receipts = ReceiptTimes()
        var times = LatencyHistogram()
    }

    private static let derived: [PipelineTopic] = [.locations, .tripEtas, .riderUpdates]
    private let configuration: KafkaConfiguration
    /// The raw topic, then those made from it.
    private let topics: [String]
    private let partitions: [TopicPartition]
    private let state = Mutex(State())
    private let mayStop = Atomic<Bool>(false)
    private let ended = DispatchSemaphore(value: 0)

    init(_ configuration: KafkaConfiguration, stage: BenchStage) {
        self.configuration = configuration
        topics = [stage.topic(.rawLocations)] + Self.derived.map(stage.topic)
        partitions = topics.flatMap(stage.partitions)
    }

    /// From each raw record, sent at or after the time set, to the moment that what `topic` has of it could be read.
    func times(of topic: PipelineTopic) -> LatencyHistogram {
        state.withLock { state in
            Self.derived.firstIndex(of: topic).map { state.stretches[$0].times } ?? state.hops
        }
    }

    /// - Throws: what ended the reading before its time.
    func checkFailure() throws {
        if let failure = state.withLock({ $0.failure }) { throw failure }
    }

    func countFrom(_ time: Timestamp) { state.withLock { $0.countedFrom = time } }

    func start() {
        let thread = Thread { [self] in
            do throws(KafkaError) { try follow() } catch { state.withLock { $0.failure = error } }
            ended.signal()
        }
        thread.name = "latency"
        thread.start()
    }

    func stop() {
        mayStop.store(true, ordering: .relaxed)
        ended.wait()
        ended.signal()
    }

    private func follow() throws(KafkaError) {
        let reader = try KafkaReader(configuration, log: PipelineAccess.log)
        let batch = reader.makeBatch(capacity: 4096)
        defer {
            batch.removeAll()
            reader.close()
        }
        // Messages name their topic by its place in this list.
        for topic in topics { _ = reader.index(of: topic) }
        try reader.start(Dictionary(uniqueKeysWithValues: partitions.map { ($0, .beginning) }))
        while !mayStop.load(ordering: .relaxed) {
            try reader.poll(into: batch, waitMilliseconds: 50)
            let seenAt = Timestamp(milliseconds: WallClock.milliseconds())
            state.withLock { state in
                for index in 0..<batch.count {
                    guard let message = batch.message(at: index) else { continue }
                    if message.input == 0 {
                        state.note(raw: message, seenAt: seenAt)
                    } else {
                        state.note(message, stretch: message.input - 1, seenAt: seenAt)
                    }
                }
            }
            batch.removeAll()
        }
    }
}

extension LatencyFollower.State {
    fileprivate mutating func note(raw message: KafkaMessage, seenAt: Timestamp) {
        let sentAt = message.timestamp
        if sentAt >= countedFrom { hops.note(milliseconds: seenAt.milliseconds - sentAt.milliseconds) }
        for stretch in stretches.indices {
            let seen = stretches[stretch].receipts.note(
                partition: message.partition, offset: message.offset, at: sentAt)
            for seenAt in seen { add(sentAt, seenAt, stretch) }
        }
    }

    /// Counts what a raw record gave rise to itself, not what the passing of time did.
    fileprivate mutating func note(_ message: KafkaMessage, stretch: Int, seenAt: Timestamp) {
        guard let event = message.record.clock, event.origin == .raw, event.punctuation == 0, event.message == 0,
            let sentAt = stretches[stretch].receipts.time(
                partition: event.partition, offset: event.offset, elseWaitFrom: seenAt)
        else { return }
        add(sentAt, seenAt, stretch)
    }

    private mutating func add(_ sentAt: Timestamp, _ seenAt: Timestamp, _ stretch: Int) {
        guard sentAt >= countedFrom else { return }
        stretches[stretch].times.note(milliseconds: seenAt.milliseconds - sentAt.milliseconds)
    }
}
