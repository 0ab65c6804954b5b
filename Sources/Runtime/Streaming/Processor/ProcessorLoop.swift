import Domain
import Kafka
import Logging
import Processing

/// Consume loop of a processor's worker.
final class ProcessorLoop: ConsumeLoop {
    let context: WorkerContext
    let layout: ProcessorLayout
    let settings: ProcessorWorkerSettings
    let makeProcessor: (Int32) -> any Processor
    let metrics: ProcessorMetrics
    let inputNames: [String]
    let outputNames: [String]
    /// Partitions by number; `nil` if not assigned or not restored yet.
    var assignedPartitions: [AssignedPartition?] = []
    /// Assigned partitions that are not restored yet, in the order of their restore.
    var restores: [PendingRestore] = []
    var nextRestoreUpdate = ContinuousClock.now
    var nextRestoreLog = ContinuousClock.now
    var outputs: SequencedOutputs
    var inFlightLimit: InFlightLimit
    /// Deferred records processed in the current batch; outputs may copy their headers.
    var processedDeferred: [KafkaMessage] = []
    /// Partitions with records in the current batch.
    var touched: [AssignedPartition] = []
    var deliveryFailure: KafkaError?
    var clients: ProcessorClients?
    var state: LoopState
    var brokerHealth: BrokerHealthMonitor
    var missingOffsets: [TopicPartition: Int64] = [:]
    private var nextLoginCheck = ContinuousClock.now
    let suspendDetector: SuspendDetector
    var pollDeadline: PollDeadline
    /// Whether programs outside the pipeline write an input, by input.
    let isExternal: [Bool]
    var partitionerDetector: PartitionerMismatchDetector?
    private var stopDeadline: ContinuousClock.Instant?

    init(
        _ context: WorkerContext, layout: ProcessorLayout, settings: ProcessorWorkerSettings,
        makeProcessor: @escaping (Int32) -> any Processor
    ) {
        self.context = context
        self.layout = layout
        self.settings = settings
        self.makeProcessor = makeProcessor
        inputNames = context.inputNames
        outputNames = context.outputNames
        metrics = ProcessorMetrics(layout, group: context.group)
        outputs = SequencedOutputs(inputs: layout.inputs.count)
        pollDeadline = PollDeadline(maximumPollInterval: .milliseconds(settings.maximumPollIntervalMilliseconds))
        isExternal = layout.inputs.map { PipelineTopic(rawValue: $0.topic)?.isInput ?? false }
        inFlightLimit = InFlightLimit(
            maximumRecords: settings.maximumUnacknowledgedRecords, maximumBytes: settings.maximumUnacknowledgedBytes)
        suspendDetector = SuspendDetector(sessionTimeout: .milliseconds(settings.sessionTimeoutMilliseconds))
        state = LoopState(commitInterval: context.commitInterval, maintenanceInterval: context.maintenanceInterval)
        brokerHealth = BrokerHealthMonitor(logger: context.logger)
    }

    var commonMetrics: WorkerMetrics { metrics.common }
    var consumer: KafkaConsumer? { clients?.consumer }
    /// Always `true`, because ``workOnBatch()`` processes the whole batch and sends its outputs.
    var isBetweenBatches: Bool { true }

    /// The first failure of any client; each client has its own connections.
    var authenticationFailure: KafkaAuthenticationFailure? {
        [
            clients?.consumer.authenticationFailure, clients?.producer.authenticationFailure,
            clients?.reader.authenticationFailure,
        ].lazy.compactMap { $0 }.first
    }

    func open(partitionCount: Int) throws -> Bool {
        assignedPartitions = Array(repeating: nil, count: partitionCount)
        partitionerDetector = PartitionerMismatchDetector(partitions: partitionCount, inputs: inputNames.count)
        clients = try ProcessorClients(context, layout: layout, settings: settings)
        suspendDetector.begin()
        _ = pollDeadline.renew()
        return true
    }

    /// Polls, processes and produces a batch, and stores the offsets of acknowledged batches.
    func workOnBatch() throws {
        guard let clients else { return }
        try clients.consumer.poll(
            into: clients.batch, waitMilliseconds: isRestoring ? 0 : settings.pollWaitMilliseconds)
        if pollDeadline.renew() { throw PartitionsLost(cause: .poll) }
        try checkPartitions()
        if !clients.batch.isEmpty { try processBatch(clients) }
        try serveDeliveries(waitMilliseconds: 0)
        releaseOffsets()
    }

    func runBackgroundWork() throws {
        guard let clients else { return }
        try continueRestore(clients)
        try fireSilentPunctuations()
        try advanceParked(clients)
    }

    func resume(after error: any Error) throws {
        guard let loss = error as? PartitionsLost, context.control.isRunning else { throw error }
        try rejoin(loss)
    }

    func interrupt(by error: any Error) throws {
        switch error {
        case is PartitionsLost:
            context.logger.warning("Partitions lost; the new owner reprocesses uncommitted records.")
        case is WorkerInterruption:
            context.logger.warning("Stopped with uncommitted work; the next owner repeats it.")
            if context.control.command == .stop { leave() }
        default: throw error
        }
    }

    func position(input: Int, partition: Int32) -> Int64? {
        guard assignedPartitions.indices.contains(Int(partition)), inputNames.indices.contains(input) else {
            return nil
        }
        return assignedPartitions[Int(partition)]?.processor.positions[input]
    }

    func missingOffsetAdvice(_ position: Int64, of partition: TopicPartition, _ range: KafkaOffsetRange) -> String {
        MissingInput(
            partition: partition, position: position, range: range, changelog: outputNames[0],
            isExternal: inputNames.firstIndex(of: partition.topic).map { isExternal[$0] } ?? true
        ).advice
    }

    func report() {
        for case let assigned? in assignedPartitions { report(assigned) }
        reportUnacknowledged()
    }

    /// Updates the metrics with a partition's lag and the processor's counts.
    func report(_ assigned: AssignedPartition) {
        metrics.add(assigned.processor.processor)
        for (input, position) in assigned.processor.positions.enumerated() {
            reportLag(
                TopicPartition(topic: inputNames[input], partition: assigned.number), input: input, position: position)
        }
    }

    var assignedCount: Int { assignedPartitions.count { $0 != nil } }

    var partitionStates: [PartitionStatus] {
        let topic = context.inputs[0]
        let state: PartitionStatus.State = brokerHealth.isDisconnected ? .waiting : .running
        let now = ContinuousClock.now
        return assignedPartitions.compactMap { $0 }
            .map { assigned in
                let age = assigned.isParked ? Int(assigned.unacknowledgedAge(at: now).components.seconds) : nil
                return PartitionStatus(
                    topic: topic, partition: assigned.number, state: assigned.isParked ? .waiting : state,
                    unacknowledgedSeconds: age, misplacedKeys: assigned.misplacedKeys)
            }
            + restores.flatMap(\.partitions)
            .map { PartitionStatus(topic: topic, partition: $0, state: .restoring) }
    }

    func finish() throws {
        guard let clients else { return }
        try drain(assignedPartitions.compactMap { $0 }, clients)
        report()
        leave()
    }

    /// Leaves the group, so that the next owner need not wait for the session timeout.
    private func leave() {
        guard clients != nil else { return }
        releaseEverything(.leaving)
        context.logger.info("Left the consumer group.")
    }

    /// Waits for acknowledgements until the drain deadline, and commits.
    func drain(_ leaving: [AssignedPartition], _ clients: ProcessorClients) throws {
        let deadline = ContinuousClock.now + settings.drainDeadline
        while undelivered(leaving) > 0, ContinuousClock.now < deadline, context.control.command != .abandon {
            clients.producer.requestFlush()
            try serveDeliveries(waitMilliseconds: 5)
            try sendParked(clients)
            try checkPartitions()
        }
        releaseOffsets()
        if undelivered(leaving) > 0 {
            context.logger.warning(
                "Outputs not acknowledged in time; the next owner repeats them.",
                metadata: .of([.count: "\(undelivered(leaving))"]))
        }
        commit()
    }

    /// Returns the number of unacknowledged and unsent outputs of `partitions`.
    func undelivered(_ partitions: [AssignedPartition]) -> Int {
        partitions.reduce(0) { $0 + $1.undeliveredCount }
    }

    /// Checks whether a wait for the broker may continue.
    /// - Throws: ``WorkerInterruption`` if the worker stops, ``WorkerError`` if its login is rejected.
    func checkInterruption() throws {
        context.status.beat()
        if ContinuousClock.now >= nextLoginCheck {
            nextLoginCheck = .now + .seconds(1)
            try checkLogin()
        }
        switch context.control.command {
        case .run: return
        case .abandon: throw WorkerInterruption()
        case .stop:
            let deadline = stopDeadline ?? .now + settings.drainDeadline
            stopDeadline = deadline
            if ContinuousClock.now >= deadline { throw WorkerInterruption() }
        }
    }

    func release() {
        suspendDetector.end()
        releaseEverything(.abruptly)
    }

    /// Drops the state of partitions and their restores.
    func dropPartitions(_ numbers: [Int32]) {
        dropRestores(numbers)
        for number in numbers {
            if assignedPartitions[Int(number)] != nil {
                for input in inputNames.indices { metrics.common.removeLag(input: input, partition: number) }
                metrics.unacknowledged.remove(number)
            }
            assignedPartitions[Int(number)] = nil
        }
        touched.removeAll(keepingCapacity: true)
    }
}
