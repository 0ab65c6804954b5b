import Foundation
import Kafka
import Runtime
import Support
import Synchronization

/// Reads topics as they are appended to, on a thread of its own, into a state that other threads look at.
package final class TopicFollower<State: Sendable>: Sendable {
    /// Enters a record, seen at a time of the wall clock, into the state; ``KafkaMessage/input`` is the place of its
    /// topic in the list that the follower was given.
    package typealias Take = (KafkaMessage, Timestamp, inout State) -> Void

    private struct Shared: Sendable {
        var state: State
        var failure: KafkaError?
    }

    private let configuration: KafkaConfiguration
    private let topics: [String]
    private let starts: [TopicPartition: KafkaPosition]
    private let makeTake: @Sendable () -> Take
    private let shared: Mutex<Shared>
    private let mayStop = Atomic<Bool>(false)
    private let ended = DispatchSemaphore(value: 0)

    /// - Parameters:
    ///   - configuration: the broker.
    ///   - topics: full names.
    ///   - starts: where each partition is read from.
    ///   - state: the state before the first record.
    ///   - makeTake: called once, on the thread that then calls what it returns.
    package init(
        _ configuration: KafkaConfiguration, topics: [String], from starts: [TopicPartition: KafkaPosition],
        into state: State, take makeTake: @escaping @Sendable () -> Take
    ) {
        self.configuration = configuration
        self.topics = topics
        self.starts = starts
        self.makeTake = makeTake
        shared = Mutex(Shared(state: state))
    }

    /// Begins to read.
    package func start() {
        let thread = Thread { [self] in
            do throws(KafkaError) { try follow() } catch { shared.withLock { $0.failure = error } }
            ended.signal()
        }
        thread.name = "follower"
        thread.start()
    }

    /// Stops reading and waits until that is so; comes after ``start()``.
    package func stop() {
        mayStop.store(true, ordering: .relaxed)
        ended.wait()
        ended.signal()
    }

    /// Reads or changes the state; records wait meanwhile.
    package func withState<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
        shared.withLock { body(&$0.state) }
    }

    /// - Throws: what ended the reading before its time.
    package func checkFailure() throws {
        if let failure = shared.withLock({ $0.failure }) { throw failure }
    }

    private func follow() throws(KafkaError) {
        let reader = try KafkaReader(configuration, log: PipelineAccess.log)
        let batch = reader.makeBatch(capacity: 4096)
        defer {
            batch.removeAll()
            reader.close()
        }
        // Messages name their topic by its place among those that the reader has been told of.
        for topic in topics { _ = reader.index(of: topic) }
        try reader.start(starts)
        let take = makeTake()
        while !mayStop.load(ordering: .relaxed) {
            try reader.poll(into: batch, waitMilliseconds: 50)
            let seenAt = Timestamp(milliseconds: WallClock.milliseconds())
            let failure = shared.withLock { shared -> KafkaError? in
                for index in 0..<batch.count {
                    switch batch[index] {
                    case .message(let message)?: take(message, seenAt, &shared.state)
                    case .failure(_, _, _, let error)?: if !error.isRetriable { return error }
                    case .end?, nil: continue
                    }
                }
                return nil
            }
            batch.removeAll()
            if let failure { throw failure }
        }
    }
}
