import Kafka
import Logging
import Processing

extension ProcessorLoop {
    /// How long the worker reads for a restore before it looks after everything else again, while records arrive.
    private static let restoreShare = Duration.milliseconds(20)
    /// How long a restore waits for records while other partitions are worked on, in milliseconds.
    private static let restoreWaitMilliseconds = 5

    /// How often a restore that finds the changelog shorter than it was begins again before it believes that.
    ///
    /// A new leader may know for a moment of fewer records than are acknowledged.
    private static let changelogDoubts = 6

    /// How often a restore of several partitions fails before each of them is restored by itself.
    private static let failuresTogether = 2
    /// How long a restore that has failed may keep the other partitions waiting with a question to a broker, in
    /// milliseconds.
    private static let shortLookUpMilliseconds = 1000

    /// Whether partitions are being read back now, and the next step of that waits for records by itself.
    var isReadingBack: Bool { currentRestore != nil }

    /// The restore that is being read, or else the first that may begin: there is one reader.
    private var currentRestore: PendingRestore? {
        let now = ContinuousClock.now
        return restores.first { $0.restorer != nil } ?? restores.first { $0.isDue(at: now) }
    }

    /// Reads on for the partitions that came first; the others follow when these are whole, or have failed.
    ///
    /// It takes turns with the polls of the group, so that neither a long restore nor one that fails again and again
    /// costs the worker its membership.
    func restoreMore(_ clients: ProcessorClients) throws {
        guard let restore = currentRestore else { return }
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
            putBack(restore)
        }
        if let restorer = restore.restorer, restorer.isWhole { try take(restorer, restore, clients) }
        tellRestores()
    }

    /// Lets the other restores go first; partitions that have failed together go on one by one.
    private func putBack(_ failed: PendingRestore) {
        restores.removeAll { $0 === failed }
        let isSplit = failed.partitions.count > 1 && failed.failures >= Self.failuresTogether
        restores += isSplit ? failed.split() : [failed]
    }

    private func makeRestorer(_ restore: PendingRestore, _ clients: ProcessorClients) throws -> PartitionRestorer {
        let assigned = restore.partitions.flatMap { topicPartitions(of: $0) }
        let timeout = plan.settings.lookUpTimeoutMilliseconds
        let commits = try clients.consumer.commits(of: assigned, timeoutMilliseconds: timeout)
        return PartitionRestorer(
            plan, partitions: restore.partitions, inputs: inputNames, outputs: outputNames, reader: clients.reader,
            commits: commits, believesShortChangelog: restore.failures >= Self.changelogDoubts,
            timeoutMilliseconds: restore.failures > 0 ? min(timeout, Self.shortLookUpMilliseconds) : timeout)
    }

    /// Begins to work on partitions whose restore is whole.
    private func take(_ restorer: PartitionRestorer, _ restore: PendingRestore, _ clients: ProcessorClients) throws {
        var positions: [TopicPartition: KafkaPosition] = [:]
        for (number, entry) in restorer.restored {
            warnOfDamage(entry.task)
            tasks[Int(number)] = AssignedPartition(
                core: entry.task, layout: plan.layout, held: entry.held, starts: entry.starts,
                changelogEnd: entry.changelogEnd)
            for (input, start) in entry.starts.enumerated() {
                positions[TopicPartition(topic: inputNames[input], partition: number)] = start
            }
        }
        for (number, entry) in restorer.restored where entry.changelogLost > 0 {
            reportLostEnd(of: number, count: entry.changelogLost)
        }
        // What was held is the partitions' now.
        restorer.restored = [:]
        precondition(outputs.isEmpty, "Outputs are left over from before a restore.")
        swap(&outputs, &restorer.quiet)
        restores.removeAll { $0 === restore }
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

    private func warnOfDamage(_ task: PartitionProcessor) {
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
