import Kafka
import Logging

/// Checks, before a worker starts, that its topics exist and have the partitions they should.
package struct TopicCheck {
    let names: TopicNames
    /// Without the prefix.
    let topics: [String]
    /// Whether all topics must have the same number of partitions.
    let mustAgree: Bool

    /// Judges the numbers of partitions.
    ///
    /// `counts`: partitions by full topic name.
    /// - Returns: the number of partitions of the first topic.
    /// - Throws: ``WorkerError`` that names every topic at fault, and the fix.
    func judge(_ counts: [String: Int]) throws(WorkerError) -> Int {
        let full = topics.map { names.full($0) }
        let missing = full.filter { counts[$0] == nil }
        guard missing.isEmpty else {
            throw WorkerError(
                .topicMissing,
                "Topics are missing: \(missing.joined(separator: ", ")); create them with `sightline topics create`.")
        }
        let partitions = full.map { counts[$0] ?? 0 }
        guard !mustAgree || Set(partitions).count <= 1 else {
            let list = zip(full, partitions).map { "\($0) has \($1)" }.joined(separator: ", ")
            throw WorkerError(
                .partitionsMismatch,
                "All topics need the same number of partitions, but \(list); `sightline topics create` shows how to even them out."
            )
        }
        return partitions.first ?? 0
    }

    /// Asks the broker until it answers, and judges the answer.
    /// - Returns: the number of partitions; `nil` when the worker was told to stop meanwhile.
    package static func wait(_ frame: WorkerContext) throws -> Int? {
        var topics: [String] = []
        for topic in frame.inputs + frame.outputs where !topics.contains(topic) { topics.append(topic) }
        // A sink takes each topic for itself.
        let check = TopicCheck(names: frame.names, topics: topics, mustAgree: !frame.outputs.isEmpty)
        let admin = try KafkaAdmin(frame.kafka, log: WorkerLog.handler(frame.logger))
        var backoff = Backoff()
        while frame.control.isRunning {
            do {
                let counts = try admin.partitionCounts(
                    of: topics.map { frame.names.full($0) }, timeoutMilliseconds: 3000)
                if backoff.attempts > 0 { frame.logger.notice("The broker answers.") }
                let partitions = try check.judge(counts)
                RetentionCheck.run(frame, admin)
                return partitions
            } catch let error as KafkaError {
                guard error.isRetriable else { throw WorkerError(error) }
                if backoff.attempts == 0 {
                    frame.logger.warning(
                        "No broker answers; the worker waits for it.",
                        metadata: .of([.address: "\(frame.kafka.bootstrapServers)", .error: "\(error)"]))
                    frame.status.setNotReady("No broker answers at \(frame.kafka.bootstrapServers).")
                }
                frame.status.beat()
                frame.control.pause(for: backoff.next())
            }
        }
        return nil
    }
}
