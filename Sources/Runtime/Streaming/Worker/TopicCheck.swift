import Kafka
import Logging

/// Check at start that the topics exist and have matching numbers of partitions.
package struct TopicCheck {
    let names: TopicNames
    /// Topic names without the prefix.
    let topics: [String]
    /// Whether all topics must have the same number of partitions.
    let mustAgree: Bool

    /// Validates the numbers of partitions.
    ///
    /// - Parameter counts: partitions by full topic name.
    /// - Returns: the number of partitions of the first topic.
    /// - Throws: ``WorkerError`` with the invalid topics and the fix.
    func validate(_ counts: [String: Int]) throws(WorkerError) -> Int {
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
                "All topics need the same number of partitions, but \(list); `sightline topics create` shows how to "
                    + "equalize them.")
        }
        return partitions.first ?? 0
    }

    /// Queries the broker, with retries, and validates the topics.
    /// - Returns: the number of partitions; `nil` if the worker was stopped meanwhile.
    package static func wait(_ context: WorkerContext) throws -> Int? {
        var topics: [String] = []
        for topic in context.inputs + context.outputs where !topics.contains(topic) { topics.append(topic) }
        // A sink processes each topic separately.
        let check = TopicCheck(names: context.names, topics: topics, mustAgree: !context.outputs.isEmpty)
        let admin = try KafkaAdmin(context.kafka, log: WorkerLog.handler(context.logger))
        var backoff = Backoff()
        while context.control.isRunning {
            do {
                let counts = try admin.partitionCounts(
                    of: topics.map { context.names.full($0) }, timeoutMilliseconds: 3000)
                if backoff.attempts > 0 { context.logger.notice("Broker available.") }
                let partitions = try check.validate(counts)
                RetentionCheck.run(context, admin)
                return partitions
            } catch let error as KafkaError {
                guard error.isRetriable else { throw WorkerError(error) }
                if backoff.attempts == 0 {
                    context.logger.warning(
                        "No broker answers; retrying.",
                        metadata: .of([.address: "\(context.kafka.bootstrapServers)", .error: "\(error)"]))
                    context.status.setNotReady("No broker answers at \(context.kafka.bootstrapServers).")
                }
                context.status.beat()
                context.control.pause(for: backoff.next())
            }
        }
        return nil
    }
}
