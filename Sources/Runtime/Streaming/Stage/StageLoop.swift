import Kafka
import Logging
import Pipeline
import Telemetry
import Tracking

/// The thread of a ``StageWorker``: everything here runs on it.
final class StageLoop {
    let plan: StageWorker.Plan
    let metrics: StageMetrics
    let inputNames: [String]
    let outputNames: [String]
    var tasks: [RunningTask?] = []
    /// Partitions given to this process that are not restored yet, in the order in which they are restored.
    var restores: [PendingRestore] = []
    /// When progress of a restore is shown next, and when it is logged next.
    var nextRestoreNotice = ContinuousClock.now
    var nextRestoreLine = ContinuousClock.now
    var outputs: StampedOutputs
    var ledger = DeliveryLedger()
    /// Held records that the batch at hand has processed; their outputs may copy their headers.
    var borrowed: [KafkaMessage] = []
    /// Partitions that the batch at hand has touched.
    var touched: [RunningTask] = []
    var deliveryFailure: KafkaError?
    var clients: StageClients?
    var hasJoined = false
    private var watch: BrokerWatch
    private var nextCommit = ContinuousClock.now
    private var nextLoginCheck = ContinuousClock.now
    let sleepWatch: SleepWatch
    private var stopDeadline: ContinuousClock.Instant?

    init(_ plan: StageWorker.Plan) {
        self.plan = plan
        inputNames = plan.layout.inputs.map { plan.names.full($0.topic) }
        outputNames = plan.layout.outputs.map { plan.names.full($0.topic) }
        metrics = StageMetrics(plan.layout, group: plan.names.group(plan.layout.name))
        outputs = StampedOutputs(inputs: plan.layout.inputs.count)
        sleepWatch = SleepWatch(sessionTimeout: .milliseconds(plan.settings.sessionTimeoutMilliseconds))
        watch = BrokerWatch(logger: plan.logger)
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
            try checkLibrary()
            guard let partitionCount = try checkTopics() else { return }
            tasks = Array(repeating: nil, count: partitionCount)
            clients = try StageClients(plan, inputs: inputNames, outputs: outputNames)
            sleepWatch.begin()
            plan.status.setNotReady("The worker waits for partitions.")
            plan.logger.info("The worker joins its group.", metadata: .of([.partitions: "\(partitionCount)"]))
            while plan.control.isRunning {
                do { try step() } catch let loss as PartitionsLost where plan.control.isRunning { try beginAnew(loss) }
            }
            try stop()
        } catch let error as KafkaError {
            throw WorkerError(error)
        } catch is PartitionsLost {
            // On the way out, and there is nothing left to give back.
            plan.logger.warning("The partitions are lost; the worker that has them now does the rest again.")
        } catch is WorkerInterruption {
            plan.logger.warning(
                "The worker stopped in the middle of its work; the worker that takes its partitions does that again.")
            if plan.control.command == .stop { leave() }
        }
    }

    private func checkLibrary() throws {
        plan.logger.info("The Kafka client library is loaded.", metadata: .of([.version: "\(KafkaLibrary.version)"]))
        if let warning = try KafkaLibrary.check() { plan.logger.warning("\(warning)") }
    }

    private func checkTopics() throws -> Int? {
        var topics: [String] = []
        for topic in plan.layout.inputs.map(\.topic) + plan.layout.outputs.map(\.topic) where !topics.contains(topic) {
            topics.append(topic)
        }
        return try TopicCheck(names: plan.names, topics: topics, mustAgree: true)
            .wait(plan.kafka, control: plan.control, status: plan.status, logger: plan.logger)
    }

    /// One iteration of the loop: poll, process, produce, give out offsets, answer rebalances, restore, let time pass.
    private func step() throws {
        guard let clients else { return }
        try clients.consumer.poll(
            into: clients.batch, waitMilliseconds: isReadingBack ? 0 : plan.settings.pollWaitMilliseconds)
        try checkPartitions()
        if !clients.batch.isEmpty { try processBatch(clients) }
        try serveDeliveries(waitMilliseconds: 0)
        releaseOffsets()
        for change in clients.consumer.takeRebalances() { try answer(change, clients) }
        try restoreMore(clients)
        try passSilentTime()
        try commitAndReport(clients)
    }

    private func commitAndReport(_ clients: StageClients) throws {
        plan.status.beat()
        guard ContinuousClock.now >= nextCommit else { return }
        nextCommit = .now + plan.settings.commitInterval
        clients.consumer.commitSoon()
        for case let task? in tasks { report(task, clients) }
        if watch.look(at: clients.consumer) { updateStatus() }
        try checkLogin()
    }

    /// Ends the worker when brokers have refused its login for long; of all clients, as each has connections of its
    /// own.
    private func checkLogin() throws {
        guard let clients else { return }
        let refusals = [clients.consumer.refusal, clients.producer.refusal, clients.reader.refusal]
        if try watch.note(refusals.lazy.compactMap { $0 }.first) { updateStatus() }
    }

    /// Brings lag and the stage's own counters of a partition to the metrics.
    func report(_ task: RunningTask, _ clients: StageClients) {
        metrics.add(task.core.stage)
        for (input, position) in task.core.positions.enumerated() {
            let name = TopicPartition(topic: inputNames[input], partition: task.core.partition)
            guard let marks = clients.consumer.watermarks(of: name) else { continue }
            metrics.common.setLag(marks.high - max(position, marks.low), input: input, partition: task.core.partition)
        }
    }

    /// Puts what the worker is doing where the health endpoint finds it.
    func updateStatus() {
        let state: WorkerStatus.Partition.State = watch.isCut ? .waiting : .running
        let held = tasks.compactMap { $0?.core.partition }
        let topic = plan.layout.inputs[0].topic
        let restoring = restores.flatMap(\.partitions)
        plan.status.setPartitions(
            held.map { WorkerStatus.Partition(topic: topic, partition: $0, state: state) }
                + restoring.map { WorkerStatus.Partition(topic: topic, partition: $0, state: .restoring) })
        metrics.common.setPartitionsAssigned(held.count)
        if let trouble = watch.trouble {
            plan.status.setNotReady(trouble)
        } else if let restore = restores.first {
            plan.status.setNotReady(restore.description)
        } else if hasJoined {
            plan.status.setReady()
        } else {
            plan.status.setNotReady("The worker waits for partitions.")
        }
    }

    /// The ordered end: flush, commit, leave the group.
    private func stop() throws {
        guard let clients, plan.control.command == .stop else { return }
        plan.status.setNotReady("The worker is stopping.")
        plan.logger.info("The worker is stopping.")
        try drain(clients)
        for case let task? in tasks { report(task, clients) }
        leave()
    }

    /// Gives the partitions back in order, so that others need not wait for the session to time out.
    private func leave() {
        guard clients != nil else { return }
        forgetEverything(.leaving)
        plan.logger.info("The worker has left its group.")
    }

    /// Waits for all acknowledgements, within the drain deadline, and commits what they allow.
    func drain(_ clients: StageClients) throws {
        let deadline = ContinuousClock.now + plan.settings.drainDeadline
        while ledger.outstanding > 0, ContinuousClock.now < deadline, plan.control.command != .abandon {
            clients.producer.hurry()
            try serveDeliveries(waitMilliseconds: 5)
            try checkPartitions()
        }
        releaseOffsets()
        if ledger.outstanding > 0 {
            plan.logger.warning(
                "Some outputs are not acknowledged in time; the worker that takes the partitions makes them again.",
                metadata: .of([.count: "\(ledger.outstanding)"]))
        }
        do {
            try clients.consumer.commit()
        } catch {
            // The changelog knows where to go on; the committed offsets only say so to others.
            plan.logger.info("The offsets could not be committed.", metadata: .of([.error: "\(error)"]))
        }
    }

    /// Gives a wait that depends on the broker up when the worker has to end.
    func checkInterruption() throws {
        plan.status.beat()
        if ContinuousClock.now >= nextLoginCheck {
            nextLoginCheck = .now + .seconds(1)
            try checkLogin()
        }
        switch plan.control.command {
        case .run: return
        case .abandon: throw WorkerInterruption()
        case .stop:
            let deadline = stopDeadline ?? .now + plan.settings.drainDeadline
            stopDeadline = deadline
            if ContinuousClock.now >= deadline { throw WorkerInterruption() }
        }
    }

    /// Frees what is still there: after an ordered stop little, after an error or an abandonment everything.
    private func letGo() {
        plan.status.setStopped()
        plan.status.setPartitions([])
        metrics.common.setPartitionsAssigned(0)
        sleepWatch.end()
        forgetEverything(.abruptly)
    }

    /// Forgets everything about `numbers`.
    func dropPartitions(_ numbers: [Int32]) {
        dropRestores(numbers)
        for number in numbers {
            if tasks[Int(number)] != nil {
                for input in inputNames.indices { metrics.common.removeLag(input: input, partition: number) }
            }
            tasks[Int(number)] = nil
        }
        touched.removeAll(keepingCapacity: true)
    }
}
