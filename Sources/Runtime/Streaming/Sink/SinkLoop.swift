import Kafka
import Logging
import Processing

/// Consume loop of a sink's worker.
final class SinkLoop: ConsumeLoop {
    let context: WorkerContext
    /// Whether the headers of an input's records are parsed, by input.
    private let readsHeaders: [Bool]
    let settings: SinkWorkerSettings
    let makeSink: () throws -> any Sink
    let metrics: SinkMetrics
    let topicNames: [String]
    /// States by input and partition number; `nil` if not assigned, or in ``unopened``.
    var partitions: [[SinkPartitionState?]] = []
    /// Assigned partitions whose stored offset has not been read yet.
    var unopened: Set<TopicPartition> = []
    var sink: (any Sink)?
    var isConnected = false
    var consumer: KafkaConsumer?
    var storeBackoff: Backoff
    var nextOffsetRead = ContinuousClock.now
    /// Polled batches; `nil` before ``open(partitionCount:)``.
    var intake: SinkIntake?
    var state: LoopState
    var brokerHealth: BrokerHealthMonitor
    var missingOffsets: [TopicPartition: Int64] = [:]

    init(
        _ context: WorkerContext, readsHeaders: [Bool], settings: SinkWorkerSettings,
        makeSink: @escaping () throws -> any Sink
    ) {
        self.context = context
        self.readsHeaders = readsHeaders
        self.settings = settings
        self.makeSink = makeSink
        topicNames = context.inputNames
        metrics = SinkMetrics(stage: context.name, group: context.group, topics: context.inputs)
        state = LoopState(commitInterval: context.commitInterval, maintenanceInterval: context.maintenanceInterval)
        brokerHealth = BrokerHealthMonitor(logger: context.logger)
        storeBackoff = Backoff(shortest: settings.shortestRetry, longest: settings.longestRetry)
    }

    var commonMetrics: WorkerMetrics { metrics.common }
    var authenticationFailure: KafkaAuthenticationFailure? { consumer?.authenticationFailure }
    /// Records polled ahead must be written before a rebalance is handled.
    var isBetweenBatches: Bool { intake?.batch.isEmpty ?? true }

    func open(partitionCount: Int) throws -> Bool {
        guard try connectWithRetries() else { return false }
        let consumer = try makeConsumer()
        self.consumer = consumer
        intake = SinkIntake(consumer, settings)
        return true
    }

    private func makeConsumer() throws -> KafkaConsumer {
        var group = KafkaGroupSettings(
            group: context.group, assignor: KafkaLibrary.supportsCooperativeRebalancing ? .cooperativeSticky : .range)
        group.maximumQueuedKibibytes = settings.maximumQueuedKibibytes
        group.sessionTimeoutMilliseconds = settings.sessionTimeoutMilliseconds
        group.maximumPollIntervalMilliseconds = settings.maximumPollIntervalMilliseconds
        return try KafkaConsumer(
            context.kafka, group: group, topics: topicNames, log: WorkerLog.handler(context.logger))
    }

    func workOnBatch() throws {
        guard let consumer, let intake else { return }
        try intake.collect(consumer, context.control)
        if !consumer.hasRebalance(lost: true), !intake.batch.isEmpty {
            let started = ContinuousClock.now
            if try group(intake.batch) {
                try writeWithRetries(consumer)
                metrics.common.batchDuration.recordNanoseconds(started.duration(to: .now).nanoseconds)
            }
        }
        for partition in openedPartitions { partition.records.removeAll(keepingCapacity: true) }
        intake.advance()
    }

    func runBackgroundWork() throws {
        guard isBetweenBatches, let consumer else { return }
        try openPartitions(consumer)
    }

    /// Polls the next batch while the store writes the current one and the partitions do not change.
    ///
    /// Polls nothing while the store is unavailable, because partitions may be paused and records discarded.
    func pollAhead(_ consumer: KafkaConsumer) {
        guard context.control.isRunning, state.storeProblem == nil, !consumer.hasRebalance(), unopened.isEmpty,
            missingOffsets.isEmpty, !openedPartitions.contains(where: { $0.isSuperseded || $0.isUncertain })
        else { return }
        intake?.pollAhead(consumer)
    }

    /// Distributes the batch's records to their partitions.
    /// - Returns: whether there are records to write.
    private func group(_ batch: KafkaBatch) throws -> Bool {
        var counts = [Int](repeating: 0, count: topicNames.count)
        for index in 0..<batch.count {
            guard let message = batch.message(at: index) else {
                try handleFailure(batch[index])
                continue
            }
            guard let partition = partitions[message.input][Int(message.partition)] else { continue }
            partition.add(readsHeaders[message.input] ? message.record : message.recordWithoutHeaders)
            counts[message.input] += 1
        }
        for (input, count) in counts.enumerated() where count > 0 {
            metrics.common.recordsIn[input].increment(by: count)
        }
        return openedPartitions.contains { !$0.records.isEmpty }
    }

    /// Assigned partitions whose stored offset is known.
    var openedPartitions: some Sequence<SinkPartitionState> { partitions.lazy.joined().compactMap { $0 } }

    func position(input: Int, partition: Int32) -> Int64? { state(input, partition)?.next }

    func progress(input: Int, partition: Int32) -> Int64? { state(input, partition)?.progress }

    private func state(_ input: Int, _ partition: Int32) -> SinkPartitionState? {
        guard partitions.indices.contains(input), partitions[input].indices.contains(Int(partition)) else { return nil }
        return partitions[input][Int(partition)]
    }

    var deduplicatesByEvent: Bool { true }

    func rewind(_ partition: TopicPartition, to offset: Int64) {
        guard let input = topicNames.firstIndex(of: partition.topic) else { return }
        partitions[input][Int(partition.partition)]?.rewind(to: offset)
    }

    func missingOffsetAdvice(_ position: Int64, of partition: TopicPartition, _ range: KafkaOffsetRange) -> String {
        "The stored offset \(position) of \(partition) is not in the topic (\(range.low) to \(range.high)). If the "
            + "topic was recreated, stop all workers and run `sightline topics recreate`; if it was truncated, set the "
            + "stored offset to \(range.low) and leave the stored event ids unchanged: docs/storage.md."
    }

    func report() {
        for partition in openedPartitions {
            reportLag(partition.topicPartition, input: partition.input, position: partition.progress)
        }
    }

    var assignedCount: Int { openedPartitions.reduce(unopened.count) { count, _ in count + 1 } }

    var partitionStates: [PartitionStatus] {
        let isWaiting = state.storeProblem != nil || brokerHealth.isDisconnected
        var states = openedPartitions.map { partition in
            PartitionStatus(
                topic: partition.name.topic, partition: partition.name.partition, state: isWaiting ? .waiting : .running
            )
        }
        for partition in unopened {
            let input = topicNames.firstIndex(of: partition.topic) ?? 0
            states.append(
                PartitionStatus(topic: context.inputs[input], partition: partition.partition, state: .restoring))
        }
        return states
    }

    func interrupt(by error: any Error) throws {
        // The current batch was not written; the next owner starts at the stored offset and repeats it.
        guard error is WorkerInterruption else { throw error }
    }

    func finish() {
        commit()
        intake?.removeAll()
        partitions = []
        consumer?.close()
        context.logger.info("Left the consumer group.")
    }

    func release() {
        intake?.removeAll()
        partitions = []
        if context.control.command == .stop { consumer?.close() } else { consumer?.abandon() }
        sink?.disconnect()
    }
}
