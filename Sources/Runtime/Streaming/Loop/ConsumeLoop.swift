import Kafka
import Logging

/// The loop of a worker's thread, the same for stages and sinks: it polls, works, answers the group, commits, reports,
/// and ends in order.
///
/// ``LoopState`` decides; what the records mean is the conforming type's. Everything runs on the worker's thread.
protocol ConsumeLoop: AnyObject {
    var frame: WorkerContext { get }
    var state: LoopState { get set }
    var watch: BrokerHealthMonitor { get set }
    /// Offsets that were fetched and that the broker does not have, to be looked up between batches.
    var missingOffsets: [TopicPartition: Int64] { get set }
    var commonMetrics: WorkerMetrics { get }
    /// The group's consumer; `nil` before ``open(partitionCount:)``.
    var consumer: KafkaConsumer? { get }
    /// What the partitions are doing, for the health endpoint.
    var partitionStates: [PartitionStatus] { get }
    /// Partitions that this process works on.
    var assignedCount: Int { get }
    /// Of the clients that a broker may refuse, the first refusal.
    var refusal: KafkaAuthenticationFailure? { get }
    /// Whether the group may be answered now: what was polled belongs to the partitions as they are.
    var isBetweenBatches: Bool { get }

    /// Makes the clients, and waits for what the worker cannot begin without.
    /// - Returns: `false` when the worker was told to stop meanwhile.
    func open(partitionCount: Int) throws -> Bool
    /// Polls, and works on what came.
    func workOnBatch() throws
    /// Takes partitions that the group gives to this process.
    func take(_ partitions: [TopicPartition]) throws
    /// Gives back partitions that go to another process.
    func giveBack(_ partitions: [TopicPartition]) throws
    /// Drops partitions that are lost: the group has given them to another process.
    func lose(_ partitions: [TopicPartition]) throws
    /// What follows a change of the partitions, and what silence makes due.
    func settle() throws
    /// The offset at which a partition continues; `nil` when this process does not hold it.
    func position(input: Int, partition: Int32) -> Int64?
    /// The offset up to which a partition is worked on, which lies after its position where records are read again.
    func progress(input: Int, partition: Int32) -> Int64?
    /// Whether records that are read again are recognised by their events alone.
    var knowsEvents: Bool { get }
    /// Continues to work on a partition at an earlier offset.
    func rewind(_ partition: TopicPartition, to offset: Int64)
    /// What to do when `position` is one that the topic never had, as one sentence.
    func adviceOnOffset(_ position: Int64, of partition: TopicPartition, _ marks: KafkaOffsetRange) -> String
    /// Brings lags and counters to the metrics.
    func report()
    func maintain() throws
    /// Resumes after an error of the loop, or throws it.
    func resume(after error: any Error) throws
    /// The ordered end: finishes, commits, and leaves the group.
    func finish() throws
    /// The end in the middle of a wait.
    func interrupt(by error: any Error) throws
    /// Frees what is still there: after an ordered stop little, after an error or an abandonment everything.
    func release()
}

extension ConsumeLoop {
    func progress(input: Int, partition: Int32) -> Int64? { position(input: input, partition: partition) }

    /// Works until told to stop.
    func run() throws {
        defer {
            frame.status.setStopped()
            frame.status.setPartitions([])
            commonMetrics.setPartitionsAssigned(0)
            release()
        }
        do {
            try runToEnd()
        } catch let error as WorkerError {
            // Releasing clients that are in trouble may take long, or for ever: this comes first.
            frame.status.fail(error, frame.logger)
            throw error
        }
    }

    private func runToEnd() throws {
        do {
            frame.logger.info(
                "The Kafka client library is loaded.", metadata: .of([.version: "\(KafkaLibrary.version)"]))
            if let warning = try KafkaLibrary.check() { frame.logger.warning("\(warning)") }
            guard let partitionCount = try TopicCheck.wait(frame), try open(partitionCount: partitionCount)
            else { return }
            publishStatus()
            frame.logger.info(
                "The worker joins its group.", metadata: .of([.partitions: "\(partitionCount)"]))
            while frame.control.isRunning { do { try iterate() } catch { try resume(after: error) } }
            try stop()
        } catch let error as KafkaError {
            throw WorkerError(error)
        } catch {
            try interrupt(by: error)
        }
    }

    /// One iteration of the loop.
    private func iterate() throws {
        try workOnBatch()
        if isBetweenBatches {
            try answerGroup()
            try replaceMissingOffsets()
        }
        try settle()
        try keepUp()
    }

    /// Answers the changes of the partitions that the group gives to this process.
    func answerGroup() throws {
        for change in consumer?.takeRebalances() ?? [] {
            switch change.kind {
            case .assigned:
                try take(change.partitions)
                state.take(.assigned)
            case .revoked: try giveBack(change.partitions)
            case .lost: try lose(change.partitions)
            }
            publishStatus()
        }
    }

    /// Shows that the thread makes progress, and does what the time makes due.
    func keepUp() throws {
        frame.status.beat()
        for action in state.take(.time(.now)) {
            if action == .maintain { try maintain() } else { try commitAndReport() }
        }
    }

    private func commitAndReport() throws {
        guard let consumer else { return }
        consumer.commitSoon()
        report()
        if watch.look(at: consumer) { noteBroker() }
        try checkLogin()
    }

    /// Ends the worker when brokers have refused its login for long.
    /// - Throws: ``WorkerError``.
    func checkLogin() throws { if try watch.note(refusal) { noteBroker() } }

    private func noteBroker() {
        state.take(.broker(trouble: watch.trouble))
        publishStatus()
    }

    /// Brings the lag of a partition to the metrics; `position` is the offset at which it continues.
    func reportLag(_ partition: TopicPartition, input: Int, position: Int64) {
        guard let marks = consumer?.watermarks(of: partition) else { return }
        commonMetrics.setLag(marks.high - max(position, marks.low), input: input, partition: partition.partition)
    }

    /// Puts what the worker is doing where the health endpoint finds it.
    func publishStatus() {
        frame.status.setPartitions(partitionStates)
        commonMetrics.setPartitionsAssigned(assignedCount)
        if let reason = state.reasonNotReady { frame.status.setNotReady(reason) } else { frame.status.setReady() }
    }

    /// Answers an error that the consumer reported in place of a record; other entries of a batch are passed over.
    func noteFailure(_ entry: KafkaBatch.Entry?) throws {
        guard case .failure(let input, let partition, let offset, let error)? = entry else { return }
        commonMetrics.count(error)
        let position = input.flatMap { self.position(input: $0, partition: partition) }
        for action in state.take(.consumerError(error, isHeld: position != nil)) {
            switch action {
            case .fail: throw error
            case .lookUpOffsets:
                guard let input, let position else { continue }
                missingOffsets[TopicPartition(topic: frame.inputNames[input], partition: partition)] =
                    offset ?? position
            default:
                frame.logger.warning(
                    "The Kafka consumer reports an error; it retries.",
                    metadata: .of([.error: "\(error)", .partition: "\(partition)"]))
            }
        }
    }

    /// Continues after records that the broker does not have: retention deleted them, or they never were.
    private func replaceMissingOffsets() throws {
        // The group comes first: a restart would be taken for the answer to it.
        guard let consumer, !missingOffsets.isEmpty, !consumer.hasRebalance() else { return }
        var found: [TopicPartition: KafkaPosition] = [:]
        for (partition, fetched) in missingOffsets where !consumer.isOutdated(offset: fetched, of: partition) {
            guard let input = frame.inputNames.firstIndex(of: partition.topic),
                let next = progress(input: input, partition: partition.partition)
            else { continue }
            found[partition] = .offset(try firstOffset(after: fetched, next: next, of: partition, consumer))
        }
        // The look-ups took time: a restart would also hide from the library's mark that the group took the partitions.
        guard !consumer.arePartitionsLost, !consumer.hasRebalance() else { return }
        missingOffsets = [:]
        try consumer.restart(found)
    }

    /// The offset at which a partition continues whose offset `fetched` is missing.
    /// - Throws: ``WorkerError`` when the topic never had it.
    private func firstOffset(
        after fetched: Int64, next: Int64, of partition: TopicPartition, _ consumer: KafkaConsumer
    ) throws -> Int64 {
        let marks = try consumer.queryWatermarks(of: partition)
        let event = LoopState.Event.offsetMissing(
            fetched: fetched, next: next, low: marks.low, knowsEvents: knowsEvents)
        for action in state.take(event) {
            if case .readAgain(let offset) = action {
                frame.logger.error(
                    "A topic has lost its end; the partition is read again, and what was written is recognised by its event.",
                    metadata: .of([
                        .topic: "\(partition.topic)", .partition: "\(partition.partition)",
                        .count: "\(fetched - marks.high)",
                    ]))
                rewind(partition, to: offset)
                return offset
            }
            guard case .restart(let offset, let lost) = action else { continue }
            if lost > 0 {
                frame.logger.error(
                    "Records were deleted by retention before they were read.",
                    metadata: .of([
                        .topic: "\(partition.topic)", .partition: "\(partition.partition)", .count: "\(lost)",
                    ]))
            }
            return offset
        }
        throw WorkerError(.offsetsGone, adviceOnOffset(fetched, of: partition, marks))
    }

    private func stop() throws {
        guard frame.control.command == .stop else { return }
        state.take(.stopping)
        publishStatus()
        frame.logger.info("The worker is stopping.")
        try finish()
    }

    /// Commits the advisory offsets: the stage's changelog or the store says where to continue.
    func commit() {
        do {
            try consumer?.commit()
        } catch {
            frame.logger.info("The offsets could not be committed.", metadata: .of([.error: "\(error)"]))
        }
    }
}
