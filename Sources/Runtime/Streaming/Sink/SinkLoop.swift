import Kafka
import Logging
import Processing

/// The loop of a sink's worker.
final class SinkLoop: ConsumeLoop {
    let plan: SinkPlan
    let metrics: SinkMetrics
    let topicNames: [String]
    /// By topic and partition number.
    var partitions: [[SinkPartitionState?]] = []
    /// Partitions assigned whose clock the store could not tell yet.
    var awaiting: Set<TopicPartition> = []
    var sink: (any Sink)?
    var isConnected = false
    var consumer: KafkaConsumer?
    var storeBackoff: Backoff
    var nextClockAttempt = ContinuousClock.now
    /// What was polled; made with the consumer.
    var intake: SinkIntake?
    var state: LoopState
    var watch: BrokerHealthMonitor
    var missingOffsets: [TopicPartition: Int64] = [:]

    init(_ plan: SinkPlan) {
        self.plan = plan
        topicNames = plan.frame.inputNames
        metrics = SinkMetrics(stage: plan.frame.name, group: plan.frame.group, topics: plan.frame.inputs)
        state = LoopState(plan.frame)
        watch = BrokerHealthMonitor(logger: plan.frame.logger)
        storeBackoff = Backoff(shortest: plan.settings.shortestRetry, longest: plan.settings.longestRetry)
    }

    var frame: WorkerContext { plan.frame }
    var commonMetrics: WorkerMetrics { metrics.common }
    var refusal: KafkaAuthenticationFailure? { consumer?.refusal }
    /// What was polled ahead belongs to the partitions as they are: it is written before anything about them changes.
    var isBetweenBatches: Bool { intake?.batch.isEmpty ?? true }

    func open(partitionCount: Int) throws -> Bool {
        guard try connectPatiently() else { return false }
        let consumer = try makeConsumer()
        self.consumer = consumer
        intake = SinkIntake(consumer, plan.settings)
        return true
    }

    private func makeConsumer() throws -> KafkaConsumer {
        var group = KafkaGroupSettings(
            group: frame.group,
            assignor: KafkaLibrary.supportsCooperativeRebalancing ? .cooperativeSticky : .range)
        group.maximumQueuedKibibytes = plan.settings.maximumQueuedKibibytes
        group.sessionTimeoutMilliseconds = plan.settings.sessionTimeoutMilliseconds
        group.maximumPollIntervalMilliseconds = plan.settings.maximumPollIntervalMilliseconds
        return try KafkaConsumer(frame.kafka, group: group, topics: topicNames, log: WorkerLog.handler(frame.logger))
    }

    func workOnBatch() throws {
        guard let consumer, let intake else { return }
        try intake.collect(consumer, frame.control)
        if !consumer.hasRebalance(lost: true), !intake.batch.isEmpty {
            let started = ContinuousClock.now
            if try group(intake.batch) {
                try writePatiently(consumer)
                metrics.common.batchDuration.recordNanoseconds(started.duration(to: .now).nanoseconds)
            }
        }
        forgetRecords()
        intake.turn()
    }

    func settle() throws {
        guard isBetweenBatches, let consumer else { return }
        try openPartitions(consumer)
    }

    /// Polls the next batch while the store works on the one at hand, unless something about the partitions is to
    /// change.
    ///
    /// While the store is away nothing is kept: the partitions may be paused, and records between be thrown away.
    func pollAhead(_ consumer: KafkaConsumer) {
        guard frame.control.isRunning, state.storeTrouble == nil, !consumer.hasRebalance(), awaiting.isEmpty,
            missingOffsets.isEmpty, !heldPartitions.contains(where: { $0.isMisplaced || $0.isDoubtful })
        else { return }
        intake?.pollAhead(consumer)
    }

    /// Sorts the batch's records into their partitions.
    /// - Returns: whether there is anything to write.
    private func group(_ batch: KafkaBatch) throws -> Bool {
        var counts = [Int](repeating: 0, count: topicNames.count)
        for index in 0..<batch.count {
            guard let message = batch.message(at: index) else {
                try noteFailure(batch[index])
                continue
            }
            guard let partition = partitions[message.input][Int(message.partition)] else { continue }
            partition.add(plan.readsHeaders[message.input] ? message.record : message.recordWithoutHeaders)
            counts[message.input] += 1
        }
        for (input, count) in counts.enumerated() where count > 0 {
            metrics.common.recordsIn[input].increment(by: count)
        }
        return heldPartitions.contains { !$0.records.isEmpty }
    }

    var heldPartitions: some Sequence<SinkPartitionState> { partitions.lazy.joined().compactMap { $0 } }

    func forgetRecords() { for partition in heldPartitions { partition.records.removeAll(keepingCapacity: true) } }

    func position(input: Int, partition: Int32) -> Int64? { held(input, partition)?.next }

    func progress(input: Int, partition: Int32) -> Int64? { held(input, partition)?.progress }

    private func held(_ input: Int, _ partition: Int32) -> SinkPartitionState? {
        guard partitions.indices.contains(input), partitions[input].indices.contains(Int(partition)) else { return nil }
        return partitions[input][Int(partition)]
    }

    var knowsEvents: Bool { true }

    func rewind(_ partition: TopicPartition, to offset: Int64) {
        guard let input = topicNames.firstIndex(of: partition.topic) else { return }
        partitions[input][Int(partition.partition)]?.rewind(to: offset)
    }

    func adviceOnOffset(_ position: Int64, of partition: TopicPartition, _ marks: KafkaOffsetRange) -> String {
        "The store continues at offset \(position) of \(partition), which the topic does not have "
            + "(\(marks.low) to \(marks.high)). If it was created anew, stop all workers and run `sightline topics "
            + "recreate`; if it has lost its end, set the clock's offset to \(marks.low) and keep its events: "
            + "docs/storage.md."
    }

    func report() {
        for partition in heldPartitions {
            reportLag(partition.topicPartition, input: partition.input, position: partition.progress)
        }
    }

    var assignedCount: Int { heldPartitions.reduce(awaiting.count) { count, _ in count + 1 } }

    var partitionStates: [PartitionStatus] {
        let isWaiting = state.storeTrouble != nil || watch.isCut
        var states = heldPartitions.map { partition in
            PartitionStatus(
                topic: partition.name.topic, partition: partition.name.partition, state: isWaiting ? .waiting : .running
            )
        }
        for partition in awaiting {
            let input = topicNames.firstIndex(of: partition.topic) ?? 0
            states.append(
                PartitionStatus(
                    topic: frame.inputs[input], partition: partition.partition, state: .restoring))
        }
        return states
    }

    func resume(after error: any Error) throws { throw error }

    func interrupt(by error: any Error) throws {
        // The batch at hand was not written; the store's clock tells that to the next owner of the partitions.
        guard error is WorkerInterruption else { throw error }
    }

    func finish() {
        commit()
        intake?.removeAll()
        partitions = []
        consumer?.close()
        frame.logger.info("The worker has left its group.")
    }

    func release() {
        intake?.removeAll()
        partitions = []
        if frame.control.command == .stop { consumer?.close() } else { consumer?.abandon() }
        sink?.disconnect()
    }
}
