import Bytes
import Kafka
import Logging
import Pipeline
import Telemetry
import Tracking

extension StageLoop {
    /// How long the worker reads for a restore before it looks after everything else again, while records arrive.
    private static let restoreShare = Duration.milliseconds(20)
    /// How long a restore waits for records while other partitions are worked on, in milliseconds.
    private static let restoreWaitMilliseconds = 5

    /// Whether partitions are being read back now, and the next step of that waits for records by itself.
    var isReadingBack: Bool {
        restores.first.map { $0.restorer != nil || ContinuousClock.now >= $0.notBefore } ?? false
    }

    /// Reads on for the partitions that came first; the others follow when these are whole.
    ///
    /// It takes turns with the polls of the group, so that neither a long restore nor one that fails again and again
    /// costs the worker its membership.
    func restoreMore(_ clients: StageClients) throws {
        guard isReadingBack, let restore = restores.first else { return }
        do {
            let restorer = try restore.restorer ?? makeRestorer(restore, clients)
            restore.restorer = restorer
            let hasRunning = tasks.contains { $0 != nil }
            let wait = hasRunning ? Self.restoreWaitMilliseconds : plan.settings.pollWaitMilliseconds
            let end = ContinuousClock.now + Self.restoreShare
            while try restorer.step(waitMilliseconds: wait), !restorer.isWhole, ContinuousClock.now < end {}
        } catch let error as KafkaError where error.isRetriable || error.code == .topicMissing {
            // A partition whose leader is away looks like one that does not exist. That they exist was checked at the
            // start.
            if restore.trouble?.message != error.message {
                frame.logger.warning("A restore failed and is tried again.", metadata: .of([.error: "\(error)"]))
            }
            restore.putOff(error)
        }
        if let restorer = restore.restorer, restorer.isWhole { try take(restorer, restore, clients) }
        tellRestores()
    }

    private func makeRestorer(_ restore: PendingRestore, _ clients: StageClients) throws -> TaskRestorer {
        let assigned = restore.partitions.flatMap { topicPartitions(of: $0) }
        let committed = try clients.consumer.committed(
            assigned, timeoutMilliseconds: plan.settings.lookUpTimeoutMilliseconds)
        return TaskRestorer(
            plan, partitions: restore.partitions, inputs: inputNames, outputs: outputNames, reader: clients.reader,
            committed: committed)
    }

    /// Begins to work on partitions whose restore is whole.
    private func take(_ restorer: TaskRestorer, _ restore: PendingRestore, _ clients: StageClients) throws {
        var positions: [TopicPartition: KafkaPosition] = [:]
        for (number, entry) in restorer.restored {
            warnOfDamage(entry.task)
            tasks[Int(number)] = RunningTask(core: entry.task, layout: plan.layout, held: entry.held)
            for (input, start) in entry.starts.enumerated() {
                positions[TopicPartition(topic: inputNames[input], partition: number)] = start
            }
        }
        // What was held is the partitions' now.
        restorer.restored = [:]
        precondition(outputs.isEmpty, "Outputs are left over from before a restore.")
        swap(&outputs, &restorer.quiet)
        restores.removeFirst()
        for partition in restore.partitions { metrics.removeRestore(partition: partition) }
        try finishQuietOutputs()
        try checkPartitions()
        try clients.consumer.accept(Array(positions.keys), positions: positions)
        let duration = restore.began.duration(to: .now)
        metrics.common.restoreDuration.recordNanoseconds(duration.nanoseconds)
        frame.logger.info(
            "Partitions are restored.",
            metadata: .of([
                .partitions: "\(restore.partitions)", .seconds: "\(Double(duration.wholeMilliseconds) / 1000)",
            ]))
        noteRestores()
    }

    private func warnOfDamage(_ task: StageTask) {
        let count = task.stage.unreadable.damaged
        guard count > 0 else { return }
        frame.logger.warning(
            "States in the changelog are damaged and were skipped; what they said is forgotten.",
            metadata: .of([.partition: "\(task.partition)", .count: "\(count)"]))
    }

    /// Says now and then how far the restores are: in the log, in the metrics and at the health endpoint.
    private func tellRestores() {
        guard let restore = restores.first, ContinuousClock.now >= nextRestoreNotice else { return }
        let isFirst = restore.began.duration(to: .now) < plan.settings.restoreProgressInterval
        nextRestoreNotice = .now + min(.seconds(1), plan.settings.restoreProgressInterval)
        for (partition, progress) in restore.restorer?.progress ?? [:] {
            if let left = progress.left { metrics.setRestore(partition: partition, recordsLeft: left) }
        }
        noteRestores()
        guard !isFirst, ContinuousClock.now >= nextRestoreLine else { return }
        nextRestoreLine = .now + plan.settings.restoreProgressInterval
        frame.logger.info("Partitions are being restored.", metadata: restore.metadata)
    }

    /// Shows how far the first restore is, or that there is none.
    func noteRestores() {
        state.take(.restore(restores.first?.description))
        publishStatus()
    }

    /// Forgets the restores of partitions that are not this process's any more.
    func dropRestores(_ numbers: [Int32]) {
        for restore in restores {
            for partition in restore.partitions where numbers.contains(partition) {
                metrics.removeRestore(partition: partition)
            }
            restore.drop(numbers)
        }
        restores.removeAll { $0.partitions.isEmpty }
        state.take(.restore(restores.first?.description))
    }
}
