import Kafka
import Logging
import Processing

extension ProcessorLoop {
    /// Maximum time per loop iteration spent on a restore.
    private static let restoreShare = Duration.milliseconds(20)
    /// Wait of a restore for records while other partitions are running, in milliseconds.
    private static let restoreWaitMilliseconds = 5

    /// Retries before a shortened changelog is accepted, because a new leader may briefly report too few records.
    private static let shortChangelogRetries = 6

    /// Number of failures after which partitions are restored separately.
    private static let failuresTogether = 2
    /// Timeout of a restore's requests after a failure, in milliseconds; other partitions wait meanwhile.
    private static let shortLookUpMilliseconds = 1000

    /// Whether a restore is in progress or may start; meanwhile its steps wait for records, and polls do not.
    var isRestoring: Bool { currentRestore != nil }

    /// The restore in progress, or the first that may start; only one runs, because there is one reader.
    private var currentRestore: PendingRestore? {
        let now = ContinuousClock.now
        return restores.first { $0.restorer != nil } ?? restores.first { $0.isDue(at: now) }
    }

    /// Continues the current restore; the next follows when this one is complete or has failed.
    ///
    /// Restores alternate with polls, so that the worker stays in its group during long or failing restores.
    func continueRestore(_ clients: ProcessorClients) throws {
        guard let restore = currentRestore else { return }
        do {
            let restorer = try restore.restorer ?? makeRestorer(restore, clients)
            restore.restorer = restorer
            let hasRunning = assignedPartitions.contains { $0 != nil }
            let wait = hasRunning ? Self.restoreWaitMilliseconds : settings.pollWaitMilliseconds
            let end = ContinuousClock.now + Self.restoreShare
            while try restorer.step(waitMilliseconds: wait), !restorer.isComplete, ContinuousClock.now < end {}
        } catch let error as KafkaError where error.isRetriable || error.code == .topicMissing {
            // A partition without a leader looks like a missing one; existence was checked at the start.
            if restore.lastError?.message != error.message {
                context.logger.warning("Restore failed; retrying.", metadata: .of([.error: "\(error)"]))
            }
            restore.postpone(error)
            requeue(restore)
        }
        if let restorer = restore.restorer, restorer.isComplete { try activate(restorer, restore, clients) }
        reportRestores()
    }

    /// Moves a failed restore to the end of the queue, split into partitions after repeated failures.
    private func requeue(_ failed: PendingRestore) {
        restores.removeAll { $0 === failed }
        let isSplit = failed.partitions.count > 1 && failed.failures >= Self.failuresTogether
        restores += isSplit ? failed.split() : [failed]
    }

    private func makeRestorer(_ restore: PendingRestore, _ clients: ProcessorClients) throws -> PartitionRestorer {
        let partitions = restore.partitions.flatMap { topicPartitions(of: $0) }
        let timeout = settings.lookUpTimeoutMilliseconds
        let commits = try clients.consumer.commits(of: partitions, timeoutMilliseconds: timeout)
        return PartitionRestorer(
            context, layout: layout, settings: settings, partitions: restore.partitions, makeProcessor: makeProcessor,
            reader: clients.reader, commits: commits,
            acceptsShortChangelog: restore.failures >= Self.shortChangelogRetries,
            timeoutMilliseconds: restore.failures > 0 ? min(timeout, Self.shortLookUpMilliseconds) : timeout)
    }

    /// Makes restored partitions active, and fetches them from their positions.
    private func activate(_ restorer: PartitionRestorer, _ restore: PendingRestore, _ clients: ProcessorClients) throws
    {
        var positions: [TopicPartition: KafkaPosition] = [:]
        for (number, entry) in restorer.restored {
            logDamagedStates(entry.processor)
            assignedPartitions[Int(number)] = AssignedPartition(
                processor: entry.processor, layout: layout, deferred: entry.removeDeferred(), starts: entry.starts,
                changelogEnd: entry.changelogEnd)
            positions.merge(zip(topicPartitions(of: number), entry.starts)) { $1 }
            if entry.changelogLost > 0 { reportTruncation(of: number, count: entry.changelogLost) }
        }
        let restored = restorer.restored
        restorer.restored = [:]
        precondition(outputs.isEmpty, "Outputs are left over from before a restore.")
        swap(&outputs, &restorer.finalOutputs)
        restores.removeAll { $0 === restore }
        for partition in restore.partitions { metrics.restores.remove(partition) }
        try finishQuietOutputs()
        try checkPartitions()
        try clients.consumer.accept(Array(positions.keys), positions: positions)
        storePositions(restored, clients)
        let duration = restore.began.duration(to: .now)
        metrics.common.restoreDuration.recordNanoseconds(duration.nanoseconds)
        context.logger.info(
            "Partitions restored.",
            metadata: .of([
                .partitions: "\(restore.partitions)", .seconds: "\(Double(duration.wholeMilliseconds) / 1000)",
            ]))
        publishRestoreState()
    }

    /// Stores the restored positions for the next commit.
    ///
    /// Otherwise an input without new records would keep the offset of the last owner, which may have died before it
    /// committed, and would seem to lag.
    private func storePositions(_ restored: [Int32: PartitionRestorer.Restored], _ clients: ProcessorClients) {
        for (number, entry) in restored {
            for (input, position) in entry.resume.enumerated() {
                guard let position else { continue }
                clients.consumer.storeOffset(
                    input: input, partition: number,
                    KafkaCommit(offset: position, metadata: ChangelogEnd.metadata(entry.changelogEnd)))
            }
        }
    }

    private func logDamagedStates(_ processor: PartitionProcessor) {
        let count = processor.processor.unreadable.damaged
        guard count > 0 else { return }
        context.logger.warning(
            "Damaged states in the changelog were skipped.",
            metadata: .of([.partition: "\(processor.partition)", .count: "\(count)"]))
    }

    /// Reports the first restore's progress periodically, in log, metrics and health endpoint.
    private func reportRestores() {
        guard let restore = restores.first, ContinuousClock.now >= nextRestoreUpdate else { return }
        let isFirst = restore.began.duration(to: .now) < settings.restoreProgressInterval
        nextRestoreUpdate = .now + min(.seconds(1), settings.restoreProgressInterval)
        for (partition, progress) in restore.restorer?.progress ?? [:] {
            if let left = progress.left { metrics.restores.set(Double(left), partition) }
        }
        publishRestoreState()
        guard !isFirst, ContinuousClock.now >= nextRestoreLog else { return }
        nextRestoreLog = .now + settings.restoreProgressInterval
        context.logger.info("Restoring partitions.", metadata: restore.metadata)
    }

    /// Publishes the progress of the first restore.
    func publishRestoreState() {
        state.restoreProgress = restores.first?.description
        publishStatus()
    }

    /// Removes the restores of partitions.
    func dropRestores(_ numbers: [Int32]) {
        for restore in restores {
            for partition in restore.partitions where numbers.contains(partition) {
                metrics.restores.remove(partition)
            }
            restore.drop(numbers)
        }
        restores.removeAll { $0.partitions.isEmpty }
        state.restoreProgress = restores.first?.description
    }
}
