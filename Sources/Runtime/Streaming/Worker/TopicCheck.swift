import Kafka
import Logging
import Telemetry

/// Checks, before a worker starts, that its topics exist and have the partitions they should.
struct TopicCheck {
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
    func wait(
        _ kafka: KafkaConfiguration, control: WorkerControl, status: WorkerStatus, logger: Logger
    ) throws -> Int? {
        let admin = try KafkaAdmin(kafka, log: WorkerLog.handler(logger))
        var backoff = Backoff()
        while control.isRunning {
            do {
                let counts = try admin.partitionCounts(of: topics.map { names.full($0) }, timeoutMilliseconds: 3000)
                if backoff.attempts > 0 { logger.notice("The broker answers.") }
                return try judge(counts)
            } catch let error as KafkaError {
                guard error.isRetriable else { throw WorkerError(error) }
                if backoff.attempts == 0 {
                    logger.warning(
                        "No broker answers; the worker waits for it.",
                        metadata: .of([.address: "\(kafka.bootstrapServers)", .error: "\(error)"]))
                    status.setNotReady("No broker answers at \(kafka.bootstrapServers).")
                }
                status.beat()
                control.pause(for: backoff.next())
            }
        }
        return nil
    }
}
