import Kafka
import Logging
import Pipeline
import Telemetry
import Tracking

/// The thread of a ``SinkWorker``: everything here runs on it.
final class SinkLoop {
    let plan: SinkWorker.Plan
    let metrics: SinkMetrics
    let topicNames: [String]
    /// By topic and partition number.
    var partitions: [[SinkPartitionState?]] = []
    /// Partitions assigned whose clock the store could not tell yet.
    var awaiting: Set<TopicPartition> = []
    var sink: (any Sink)?
    var isConnected = false
    var consumer: KafkaConsumer?
    var hasJoined = false
    /// Why the store is away; `nil` while it is not.
    var storeTrouble: String?
    var storeBackoff: Backoff
    var nextClockAttempt = ContinuousClock.now
    /// What was polled; made with the consumer.
    var intake: SinkIntake?
    private var watch: BrokerWatch
    private var nextCommit = ContinuousClock.now
    private var nextMaintenance: ContinuousClock.Instant

    init(_ plan: SinkWorker.Plan) {
        self.plan = plan
        topicNames = plan.topics.map { plan.names.full($0) }
        metrics = SinkMetrics(stage: plan.name, group: plan.names.group(plan.name), topics: plan.topics)
        watch = BrokerWatch(logger: plan.logger)
        storeBackoff = Backoff(shortest: plan.settings.shortestRetry, longest: plan.settings.longestRetry)
        nextMaintenance = .now + plan.settings.maintenanceInterval
    }

    /// Works until told to stop.
    func run() throws {
        defer { letGo() }
        do {
            try work()
        } catch let error as WorkerError {
            // Letting go of clients that are in trouble may take long, or for ever: this comes first.
            plan.status.fail(error, plan.logger)
            throw error
        }
    }

    private func work() throws {
        do {
            if let warning = try KafkaLibrary.check() { plan.logger.warning("\(warning)") }
            let check = TopicCheck(names: plan.names, topics: plan.topics, mustAgree: false)
            guard
                try check.wait(plan.kafka, control: plan.control, status: plan.status, logger: plan.logger) != nil,
                try connectPatiently()
            else { return }
            let consumer = try makeConsumer()
            self.consumer = consumer
            let intake = SinkIntake(consumer, plan.settings)
            self.intake = intake
            defer { intake.removeAll() }
            updateStatus()
            while plan.control.isRunning { try step(consumer, intake) }
            try stop(consumer, intake)
        } catch let error as KafkaError {
            throw WorkerError(error)
        } catch is WorkerInterruption {
            // The batch at hand was not written; the store's clock tells that to the next owner of the partitions.
        }
    }

    private func makeConsumer() throws -> KafkaConsumer {
        var group = KafkaGroupSettings(
            group: plan.names.group(plan.name),
            assignor: KafkaLibrary.supportsCooperativeRebalancing ? .cooperativeSticky : .range)
        group.maximumQueuedKibibytes = plan.settings.maximumQueuedKibibytes
        group.sessionTimeoutMilliseconds = plan.settings.sessionTimeoutMilliseconds
        group.maximumPollIntervalMilliseconds = plan.settings.maximumPollIntervalMilliseconds
        return try KafkaConsumer(plan.kafka, group: group, topics: topicNames, log: WorkerLog.handler(plan.logger))
    }

    private func step(_ consumer: KafkaConsumer, _ intake: SinkIntake) throws {
        try intake.collect(consumer, plan.control)
        if !consumer.hasRebalance(lost: true), !intake.batch.isEmpty {
            let started = ContinuousClock.now
            if try group(intake.batch, consumer) {
                try writePatiently(consumer)
                metrics.common.batchDuration.recordNanoseconds(started.duration(to: .now).nanoseconds)
            }
        }
        forgetRecords()
        intake.turn()
        // What was polled ahead belongs to the partitions as they are: it is written before anything about them
        // changes.
        if intake.batch.isEmpty {
            for change in consumer.takeRebalances() { try answer(change, consumer) }
            try openPartitions(consumer)
        }
        try commitAndReport(consumer)
    }

    /// Polls the next batch while the store works on the one at hand, unless something about the partitions is to
    /// change.
    ///
    /// While the store is away nothing is kept: the partitions may be paused, and records between be thrown away.
    func pollAhead(_ consumer: KafkaConsumer) {
        guard plan.control.isRunning, storeTrouble == nil, !consumer.hasRebalance(), awaiting.isEmpty,
            !heldPartitions.contains(where: { $0.isMisplaced || $0.isDoubtful })
        else { return }
        intake?.pollAhead(consumer)
    }

    /// Sorts the batch's records into their partitions.
    /// - Returns: whether there is anything to write.
    private func group(_ batch: KafkaBatch, _ consumer: KafkaConsumer) throws -> Bool {
        var counts = [Int](repeating: 0, count: topicNames.count)
        for index in 0..<batch.count {
            guard let message = batch.message(at: index) else {
                if case .failure(let input, let partition, let error)? = batch[index] {
                    try noteFailure(error, input: input, partition: partition, consumer)
                }
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

    private func noteFailure(_ error: KafkaError, input: Int?, partition: Int32, _ consumer: KafkaConsumer) throws {
        metrics.common.count(error)
        if error.code == .offsetOutOfRange, let input {
            guard let held = partitions[input][Int(partition)] else { return }
            return try recover(held, consumer)
        }
        if error.isFatal { throw error }
        plan.logger.warning(
            "The Kafka consumer reports an error; it retries.",
            metadata: .of([.error: "\(error)", .partition: "\(partition)"]))
    }

    /// A position that the broker does not have: either it was deleted by retention, or it never was.
    private func recover(_ partition: SinkPartitionState, _ consumer: KafkaConsumer) throws {
        let marks = try consumer.queryWatermarks(of: partition.topicPartition)
        guard partition.next <= marks.low else {
            throw WorkerError(
                .offsetsGone,
                "The store goes on at offset \(partition.next) of \(partition.topicPartition), which the topic does not have "
                    + "(\(marks.low) to \(marks.high)): it was created anew, so the store's clock of it has to go, too."
            )
        }
        if partition.next > 0 {
            plan.logger.error(
                "Records were deleted by retention before they were written.",
                metadata: .of([
                    .topic: "\(partition.name.topic)", .partition: "\(partition.name.partition)",
                    .count: "\(marks.low - partition.next)",
                ]))
        }
        try consumer.seek([partition.topicPartition: .offset(marks.low)])
    }

    func commitAndReport(_ consumer: KafkaConsumer) throws {
        plan.status.beat()
        let now = ContinuousClock.now
        guard now >= nextCommit else { return }
        nextCommit = now + plan.settings.commitInterval
        consumer.commitSoon()
        for partition in heldPartitions {
            guard let marks = consumer.watermarks(of: partition.topicPartition) else { continue }
            metrics.common.setLag(
                marks.high - max(partition.next, marks.low), input: partition.input, partition: partition.name.partition
            )
        }
        if watch.look(at: consumer) { updateStatus() }
        if try watch.note(consumer.refusal) { updateStatus() }
        guard now >= nextMaintenance, storeTrouble == nil else { return }
        nextMaintenance = now + plan.settings.maintenanceInterval
        try maintain()
    }

    /// Puts what the worker is doing where the health endpoint finds it.
    func updateStatus() {
        let isWaiting = storeTrouble != nil || watch.isCut
        var states = heldPartitions.map { partition in
            WorkerStatus.Partition(
                topic: partition.name.topic, partition: partition.name.partition, state: isWaiting ? .waiting : .running
            )
        }
        for partition in awaiting {
            let input = topicNames.firstIndex(of: partition.topic) ?? 0
            states.append(
                WorkerStatus.Partition(topic: plan.topics[input], partition: partition.partition, state: .restoring))
        }
        plan.status.setPartitions(states)
        metrics.common.setPartitionsAssigned(states.count)
        if let storeTrouble {
            plan.status.setNotReady(storeTrouble)
        } else if let trouble = watch.trouble {
            plan.status.setNotReady(trouble)
        } else if hasJoined {
            plan.status.setReady()
        } else {
            plan.status.setNotReady("The worker waits for partitions.")
        }
    }

    private func stop(_ consumer: KafkaConsumer, _ intake: SinkIntake) throws {
        guard plan.control.command == .stop else { return }
        plan.status.setNotReady("The worker is stopping.")
        commit(consumer)
        intake.removeAll()
        partitions = []
        consumer.close()
        plan.logger.info("The worker has left its group.")
    }

    func commit(_ consumer: KafkaConsumer) {
        do {
            try consumer.commit()
        } catch {
            // The store knows where to go on; the committed offsets only say so to others.
            plan.logger.info("The offsets could not be committed.", metadata: .of([.error: "\(error)"]))
        }
    }

    private func letGo() {
        plan.status.setStopped()
        plan.status.setPartitions([])
        metrics.common.setPartitionsAssigned(0)
        partitions = []
        if plan.control.command == .stop { consumer?.close() } else { consumer?.abandon() }
        sink?.disconnect()
    }
}
