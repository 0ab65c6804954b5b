import Kafka
import Logging
import Model
import Processing

/// The loop of a stage's worker.
final class ProcessorLoop: ConsumeLoop {
    let plan: ProcessorPlan
    let metrics: ProcessorMetrics
    let inputNames: [String]
    let outputNames: [String]
    var tasks: [AssignedPartition?] = []
    /// Partitions given to this process that are not restored yet, in the order in which they are restored.
    var restores: [PendingRestore] = []
    /// When progress of a restore is shown next, and when it is logged next.
    var nextRestoreNotice = ContinuousClock.now
    var nextRestoreLine = ContinuousClock.now
    var outputs: SequencedOutputs
    /// Outputs with the producer, of the partitions that are worked on.
    var unacknowledged: UnacknowledgedOutputs
    /// Held records that the batch at hand has processed; their outputs may copy their headers.
    var borrowed: [KafkaMessage] = []
    /// Partitions that the batch at hand has touched.
    var touched: [AssignedPartition] = []
    var deliveryFailure: KafkaError?
    var clients: ProcessorClients?
    var state: LoopState
    var watch: BrokerHealthMonitor
    var missingOffsets: [TopicPartition: Int64] = [:]
    private var nextLoginCheck = ContinuousClock.now
    let sleepWatch: SuspendDetector
    var pollLease: PollDeadline
    /// By input, whether programs outside of the pipeline write it.
    let writtenByOthers: [Bool]
    var keyWatch: PartitionerMismatchDetector?
    private var stopDeadline: ContinuousClock.Instant?

    init(_ plan: ProcessorPlan) {
        self.plan = plan
        inputNames = plan.frame.inputNames
        outputNames = plan.frame.outputNames
        metrics = ProcessorMetrics(plan.layout, group: plan.frame.group)
        outputs = SequencedOutputs(inputs: plan.layout.inputs.count)
        pollLease = PollDeadline(maximumPollInterval: .milliseconds(plan.settings.maximumPollIntervalMilliseconds))
        writtenByOthers = plan.layout.inputs.map { PipelineTopic(rawValue: $0.topic)?.isInput ?? false }
        unacknowledged = UnacknowledgedOutputs(
            maximumRecords: plan.settings.maximumUnacknowledgedRecords,
            maximumBytes: plan.settings.maximumUnacknowledgedBytes)
        sleepWatch = SuspendDetector(sessionTimeout: .milliseconds(plan.settings.sessionTimeoutMilliseconds))
        state = LoopState(plan.frame)
        watch = BrokerHealthMonitor(logger: plan.frame.logger)
    }

    var frame: WorkerContext { plan.frame }
    var commonMetrics: WorkerMetrics { metrics.common }
    var consumer: KafkaConsumer? { clients?.consumer }
    /// The batch was processed and its outputs were sent: the group may always be answered.
    var isBetweenBatches: Bool { true }

    /// Each client has connections of its own.
    var refusal: KafkaAuthenticationFailure? {
        [clients?.consumer.refusal, clients?.producer.refusal, clients?.reader.refusal].lazy.compactMap { $0 }.first
    }

    func open(partitionCount: Int) throws -> Bool {
        tasks = Array(repeating: nil, count: partitionCount)
        keyWatch = PartitionerMismatchDetector(partitions: partitionCount, inputs: inputNames.count)
        clients = try ProcessorClients(plan, inputs: inputNames, outputs: outputNames)
        sleepWatch.begin()
        _ = pollLease.renew()
        return true
    }

    /// Polls, processes, produces, and stores the offsets that the acknowledgements allow.
    func workOnBatch() throws {
        guard let clients else { return }
        try clients.consumer.poll(
            into: clients.batch, waitMilliseconds: isReadingBack ? 0 : plan.settings.pollWaitMilliseconds)
        if pollLease.renew() { throw PartitionsLost(cause: .poll) }
        try checkPartitions()
        if !clients.batch.isEmpty { try processBatch(clients) }
        try serveDeliveries(waitMilliseconds: 0)
        releaseOffsets()
    }

    func settle() throws {
        guard let clients else { return }
        try restoreMore(clients)
        try passSilentTime()
        try serveParked(clients)
    }

    func maintain() {}

    func resume(after error: any Error) throws {
        guard let loss = error as? PartitionsLost, frame.control.isRunning else { throw error }
        try beginAnew(loss)
    }

    func interrupt(by error: any Error) throws {
        switch error {
        case is PartitionsLost:
            // On the way out, and there is nothing left to give back.
            frame.logger.warning("The partitions are lost; the worker that has them now does the rest again.")
        case is WorkerInterruption:
            frame.logger.warning(
                "The worker stopped in the middle of its work; the worker that takes its partitions does that again.")
            if frame.control.command == .stop { leave() }
        default: throw error
        }
    }

    func position(input: Int, partition: Int32) -> Int64? {
        guard tasks.indices.contains(Int(partition)), inputNames.indices.contains(input) else { return nil }
        return tasks[Int(partition)]?.core.positions[input]
    }

    /// The clock of a stage is that of its outputs: what an input lacks would be taken for answered.
    var knowsEvents: Bool { false }

    func rewind(_ partition: TopicPartition, to offset: Int64) {}

    func adviceOnOffset(_ position: Int64, of partition: TopicPartition, _ marks: KafkaOffsetRange) -> String {
        MissingInput(
            partition: partition, position: position, marks: marks, changelog: outputNames[0],
            isWrittenByOthers: inputNames.firstIndex(of: partition.topic).map { writtenByOthers[$0] } ?? true
        ).advice
    }

    func report() {
        for case let task? in tasks { report(task) }
        reportUnacknowledged()
    }

    /// Brings lag and the stage's own counters of a partition to the metrics.
    func report(_ task: AssignedPartition) {
        metrics.add(task.core.stage)
        for (input, position) in task.core.positions.enumerated() {
            reportLag(
                TopicPartition(topic: inputNames[input], partition: task.core.partition), input: input,
                position: position)
        }
    }

    var assignedCount: Int { tasks.count { $0 != nil } }

    var partitionStates: [PartitionStatus] {
        let topic = frame.inputs[0]
        let state: PartitionStatus.State = watch.isCut ? .waiting : .running
        let now = ContinuousClock.now
        return tasks.compactMap { $0 }
            .map { task in
                let age = task.isParked ? Int(task.unacknowledgedAge(at: now).components.seconds) : nil
                return PartitionStatus(
                    topic: topic, partition: task.core.partition, state: task.isParked ? .waiting : state,
                    unacknowledgedSeconds: age, misplacedKeys: task.misplacedKeys)
            }
            + restores.flatMap(\.partitions)
            .map { PartitionStatus(topic: topic, partition: $0, state: .restoring) }
    }

    /// Flushes, commits, leaves the group.
    func finish() throws {
        guard let clients else { return }
        try drain(tasks.compactMap { $0 }, clients)
        report()
        leave()
    }

    /// Gives the partitions back in order, so that others need not wait for the session to time out.
    private func leave() {
        guard clients != nil else { return }
        forgetEverything(.leaving)
        frame.logger.info("The worker has left its group.")
    }

    /// Waits for all acknowledgements of `leaving`, within the drain deadline, and commits what they allow.
    func drain(_ leaving: [AssignedPartition], _ clients: ProcessorClients) throws {
        let deadline = ContinuousClock.now + plan.settings.drainDeadline
        while leaving.contains(where: \.hasUndelivered), ContinuousClock.now < deadline,
            frame.control.command != .abandon
        {
            clients.producer.hurry()
            try serveDeliveries(waitMilliseconds: 5)
            try sendParked(clients)
            try checkPartitions()
        }
        releaseOffsets()
        if leaving.contains(where: \.hasUndelivered) {
            frame.logger.warning(
                "Some outputs are not acknowledged in time; the worker that takes the partitions makes them again.",
                metadata: .of([.count: "\(undelivered(leaving))"]))
        }
        commit()
    }

    /// Outputs of `tasks` that are not acknowledged.
    func undelivered(_ tasks: [AssignedPartition]) -> Int {
        tasks.reduce(0) { $0 + $1.ledger.outstanding + $1.parkedOutputs.count }
    }

    /// Gives a wait that depends on the broker up when the worker has to end.
    func checkInterruption() throws {
        frame.status.beat()
        if ContinuousClock.now >= nextLoginCheck {
            nextLoginCheck = .now + .seconds(1)
            try checkLogin()
        }
        switch frame.control.command {
        case .run: return
        case .abandon: throw WorkerInterruption()
        case .stop:
            let deadline = stopDeadline ?? .now + plan.settings.drainDeadline
            stopDeadline = deadline
            if ContinuousClock.now >= deadline { throw WorkerInterruption() }
        }
    }

    func release() {
        sleepWatch.end()
        forgetEverything(.abruptly)
    }

    /// Forgets everything about `numbers`.
    func dropPartitions(_ numbers: [Int32]) {
        dropRestores(numbers)
        for number in numbers {
            if tasks[Int(number)] != nil {
                for input in inputNames.indices { metrics.common.removeLag(input: input, partition: number) }
                metrics.removeUnacknowledged(partition: number)
            }
            tasks[Int(number)] = nil
        }
        touched.removeAll(keepingCapacity: true)
    }
}
