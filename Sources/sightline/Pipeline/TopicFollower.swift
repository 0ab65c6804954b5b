import Foundation
import Kafka
import Support
import Synchronization

/// A thread that reads new records of topics into a shared state.
package final class TopicFollower<State: Sendable>: Sendable {
    /// Function that applies a record, read at a wall-clock time, to the state; `input` is the topic's index.
    package typealias Handler = (KafkaMessage, Timestamp, inout State) -> Void

    private struct Shared: Sendable {
        var state: State
        var failure: KafkaError?
    }

    private let configuration: KafkaConfiguration
    private let topics: [String]
    private let starts: [TopicPartition: KafkaPosition]
    private let makeHandler: @Sendable () -> Handler
    private let shared: Mutex<Shared>
    private let isStopped = Atomic<Bool>(false)
    private let ended = DispatchSemaphore(value: 0)

    /// Creates a follower of topics with these full names; its thread calls `makeHandler` once.
    package init(
        _ configuration: KafkaConfiguration, topics: [String], from starts: [TopicPartition: KafkaPosition],
        into state: State, makeHandler: @escaping @Sendable () -> Handler
    ) {
        self.configuration = configuration
        self.topics = topics
        self.starts = starts
        self.makeHandler = makeHandler
        shared = Mutex(Shared(state: state))
    }

    package func start() {
        let thread = Thread { [self] in
            do throws(KafkaError) { try follow() } catch { shared.withLock { $0.failure = error } }
            ended.signal()
        }
        thread.name = "follower"
        thread.start()
    }

    /// Stops the thread and waits for its end; call only after ``start()``.
    package func stop() {
        isStopped.store(true, ordering: .relaxed)
        ended.wait()
        ended.signal()
    }

    /// Reads or changes the state under the lock.
    package func withState<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
        shared.withLock { body(&$0.state) }
    }

    /// - Throws: the error that stopped the thread.
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
        // Registers the topics in order, because messages contain the index of their topic.
        for topic in topics { _ = reader.index(of: topic) }
        try reader.start(starts)
        let handle = makeHandler()
        while !isStopped.load(ordering: .relaxed) {
            try reader.poll(into: batch, waitMilliseconds: 50)
            let seenAt = Timestamp.now
            let failure = shared.withLock { shared -> KafkaError? in
                for index in 0..<batch.count {
                    switch batch[index] {
                    case .message(let message)?: handle(message, seenAt, &shared.state)
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
