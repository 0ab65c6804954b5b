import Kafka
import Logging

/// Consume loop of a worker's thread, shared by processors and sinks.
///
/// Handles rebalances, commits offsets, updates metrics and stops gracefully; conforming types process the records.
/// Everything runs on the worker's thread.
protocol ConsumeLoop: AnyObject {
    var context: WorkerContext { get }
    var state: LoopState { get set }
    var brokerHealth: BrokerHealthMonitor { get set }
    /// Fetch positions that the broker rejected as out of range, by partition; replaced between batches.
    var missingOffsets: [TopicPartition: Int64] { get set }
    var commonMetrics: WorkerMetrics { get }
    /// Member of the group; `nil` before ``open(partitionCount:)``.
    var consumer: KafkaConsumer? { get }
    /// Status of each assigned partition, for the health endpoint.
    var partitionStates: [PartitionStatus] { get }
    var assignedCount: Int { get }
    /// The first current authentication failure of the worker's clients.
    var authenticationFailure: KafkaAuthenticationFailure? { get }
    /// Whether rebalances may be handled, because no polled records are pending.
    var isBetweenBatches: Bool { get }

    /// Creates the clients and, for a sink, waits for the store.
    /// - Returns: `false` if the worker was stopped meanwhile.
    func open(partitionCount: Int) throws -> Bool
    /// Polls and processes a batch.
    func workOnBatch() throws
    func assign(_ partitions: [TopicPartition]) throws
    func revoke(_ partitions: [TopicPartition]) throws
    /// Drops partitions that the group has already assigned to another process.
    func dropLost(_ partitions: [TopicPartition]) throws
    /// Runs other work once per iteration, such as restores, or punctuations while no records arrive.
    func runBackgroundWork() throws
    /// Returns the offset at which a partition continues; `nil` if it is not assigned or not restored.
    func position(input: Int, partition: Int32) -> Int64?
    /// Returns the offset before which all records are processed; above the position while records are reread.
    func progress(input: Int, partition: Int32) -> Int64?
    /// Whether duplicates are detected by event id, so that a truncated partition can be reread.
    ///
    /// `false` for a processor, because its outputs' event ids are input offsets: readers would drop the outputs of new
    /// records at old offsets.
    var deduplicatesByEvent: Bool { get }
    /// Makes a truncated partition continue at an earlier offset.
    func rewind(_ partition: TopicPartition, to offset: Int64)
    /// Returns the error text for a `position` that the topic does not have: the problem and its fix.
    func missingOffsetAdvice(_ position: Int64, of partition: TopicPartition, _ range: KafkaOffsetRange) -> String
    /// Updates lags and counters in the metrics.
    func report()
    func maintain() throws
    /// Recovers from an error of an iteration, or rethrows it.
    func resume(after error: any Error) throws
    /// Stops gracefully: finishes, commits and leaves the group.
    func finish() throws
    /// Ends the loop after an error; rethrows it if it is unexpected.
    func interrupt(by error: any Error) throws
    /// Releases all remaining resources.
    func release()
}

extension ConsumeLoop {
    func progress(input: Int, partition: Int32) -> Int64? { position(input: input, partition: partition) }
    var deduplicatesByEvent: Bool { false }
    func rewind(_ partition: TopicPartition, to offset: Int64) {}
    func maintain() throws {}
    func resume(after error: any Error) throws { throw error }

    /// Runs until the worker is stopped.
    func run() throws {
        defer {
            context.status.setStopped()
            context.status.setPartitions([])
            commonMetrics.setPartitionsAssigned(0)
            release()
        }
        do {
            try runToEnd()
        } catch let error as WorkerError {
            // Before `release()`, which may block if clients have failed.
            context.status.fail(error, context.logger)
            throw error
        }
    }

    private func runToEnd() throws {
        do {
            context.logger.info("Kafka client library loaded.", metadata: .of([.version: "\(KafkaLibrary.version)"]))
            if let warning = try KafkaLibrary.check() { context.logger.warning("\(warning)") }
            guard let partitionCount = try TopicCheck.wait(context), try open(partitionCount: partitionCount)
            else { return }
            publishStatus()
            context.logger.info("Joining the consumer group.", metadata: .of([.partitions: "\(partitionCount)"]))
            while context.control.isRunning { do { try iterate() } catch { try resume(after: error) } }
            try stop()
        } catch let error as KafkaError {
            throw WorkerError(error)
        } catch {
            try interrupt(by: error)
        }
    }

    private func iterate() throws {
        try workOnBatch()
        if isBetweenBatches {
            try handleRebalances()
            try replaceMissingOffsets()
        }
        try runBackgroundWork()
        try runPeriodicWork()
    }

    /// Handles the rebalances reported since the last call.
    func handleRebalances() throws {
        for change in consumer?.drainRebalances() ?? [] {
            switch change.kind {
            case .assigned:
                try assign(change.partitions)
                state.hasJoined = true
            case .revoked: try revoke(change.partitions)
            case .lost: try dropLost(change.partitions)
            }
            publishStatus()
        }
    }

    /// Reports that the thread is alive, and runs periodic work that is due.
    func runPeriodicWork() throws {
        context.status.beat()
        for work in state.dueWork(at: .now) {
            if work == .maintain { try maintain() } else { try commitAndReport() }
        }
    }

    private func commitAndReport() throws {
        guard let consumer else { return }
        consumer.commitSoon()
        report()
        if brokerHealth.check(consumer) { publishBrokerState() }
        try checkLogin()
    }

    /// Checks the login at the brokers.
    /// - Throws: ``WorkerError`` if it has been rejected for ``BrokerHealthMonitor/rejectionLimit``.
    func checkLogin() throws { if try brokerHealth.record(authenticationFailure) { publishBrokerState() } }

    private func publishBrokerState() {
        state.brokerProblem = brokerHealth.problem
        publishStatus()
    }

    /// Updates the lag of a partition; `position` is the offset of the first unprocessed record.
    func reportLag(_ partition: TopicPartition, input: Int, position: Int64) {
        guard let range = consumer?.cachedOffsetRange(of: partition) else { return }
        commonMetrics.setLag(range.high - max(position, range.low), input: input, partition: partition.partition)
    }

    /// Publishes partitions and readiness for the health endpoint.
    func publishStatus() {
        context.status.setPartitions(partitionStates)
        commonMetrics.setPartitionsAssigned(assignedCount)
        if let reason = state.reasonNotReady { context.status.setNotReady(reason) } else { context.status.setReady() }
    }

    /// Handles an error entry of a batch; ignores other entries.
    func handleFailure(_ entry: KafkaBatch.Entry?) throws {
        guard case .failure(let input, let partition, let offset, let error)? = entry else { return }
        commonMetrics.count(error)
        if error.code == .offsetOutOfRange {
            // Nothing to do for a partition that was revoked meanwhile.
            guard let input, let position = position(input: input, partition: partition) else { return }
            missingOffsets[TopicPartition(topic: context.inputNames[input], partition: partition)] = offset ?? position
            return
        }
        if error.isFatal { throw error }
        context.logger.warning(
            "Kafka consumer error; retrying.", metadata: .of([.error: "\(error)", .partition: "\(partition)"]))
    }

    /// Restarts partitions whose offsets the broker does not have.
    private func replaceMissingOffsets() throws {
        // A pending rebalance comes first, because librdkafka would interpret a restart as the reply to it.
        guard let consumer, !missingOffsets.isEmpty, !consumer.hasRebalance() else { return }
        var restarts: [TopicPartition: KafkaPosition] = [:]
        for (partition, fetched) in missingOffsets where !consumer.isOutdated(offset: fetched, of: partition) {
            guard let input = context.inputNames.firstIndex(of: partition.topic),
                let next = progress(input: input, partition: partition.partition)
            else { continue }
            restarts[partition] = .offset(try firstOffset(after: fetched, next: next, of: partition, consumer))
        }
        // Checked after the look-ups, because a restart would also clear librdkafka's mark of lost partitions.
        guard !consumer.arePartitionsLost, !consumer.hasRebalance() else { return }
        missingOffsets = [:]
        try consumer.restart(restarts)
    }

    /// Returns the offset at which to continue a partition that lacks the offset `fetched`.
    /// - Throws: ``WorkerError`` if it cannot continue.
    private func firstOffset(
        after fetched: Int64, next: Int64, of partition: TopicPartition, _ consumer: KafkaConsumer
    ) throws -> Int64 {
        let range = try consumer.offsetRange(of: partition)
        let missing = MissingOffset(
            fetched: fetched, next: next, low: range.low, deduplicatesByEvent: deduplicatesByEvent)
        switch missing {
        case .reread(let offset):
            logLoss("Topic was truncated; rereading the partition.", partition, count: fetched - range.high)
            rewind(partition, to: offset)
            return offset
        case .restart(let offset, let lost):
            if lost > 0 { logLoss("Retention deleted records before they were read.", partition, count: lost) }
            return offset
        case .reject: throw WorkerError(.offsetsGone, missingOffsetAdvice(fetched, of: partition, range))
        }
    }

    private func logLoss(_ message: Logger.Message, _ partition: TopicPartition, count: Int64) {
        context.logger.error(
            message,
            metadata: .of([.topic: "\(partition.topic)", .partition: "\(partition.partition)", .count: "\(count)"]))
    }

    private func stop() throws {
        guard context.control.command == .stop else { return }
        state.isStopping = true
        publishStatus()
        context.logger.info("The worker is stopping.")
        try finish()
    }

    /// Commits offsets; after a failure, the changelog or the store determines where to continue.
    func commit() {
        do {
            try consumer?.commit()
        } catch {
            context.logger.info("Offsets could not be committed.", metadata: .of([.error: "\(error)"]))
        }
    }
}
