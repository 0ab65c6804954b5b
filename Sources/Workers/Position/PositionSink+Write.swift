import Domain
import Processing
import Redis

extension PositionSink {
    /// Minimum bytes of pending commands to send, so that Redis works while more are prepared.
    private static let sendThreshold = 1 << 16

    /// Writes the batches, each ``PartitionGroup`` in one transaction.
    ///
    /// - Returns: the batches to attempt again: another process wrote a partition of their group at the same time, so
    ///   their transaction was not executed.
    func attempt(
        _ batches: [PartitionBatch], over connection: RedisConnection, into report: inout SinkReport,
        _ meanwhile: () -> Void
    ) throws -> [PartitionBatch] {
        var groups = PartitionGroup.groups(of: batches, size: configuration.transactionRecords)
        guard let first = groups.first else { return [] }
        var conflicting: [PartitionBatch] = []
        commands.removeAll()
        watermarks.addWatch(of: first.names, to: &commands)
        try connection.send(&commands)
        for number in groups.indices {
            // Collects before the reply arrives, while Redis executes the previous transaction.
            let isAhead = collectAhead(&groups[number])
            if number > 0 { conflicting += try finish(groups[number - 1], over: connection, into: &report) }
            let stored = try receiveWatch(of: groups[number].names, over: connection)
            if !isAhead || !isExpected(stored) { collect(&groups[number], stored) }
            let next = number + 1 < groups.count ? groups[number + 1].names : []
            try send(&groups[number], watchingNext: next, over: connection)
        }
        meanwhile()
        if let last = groups.last { conflicting += try finish(last, over: connection, into: &report) }
        return conflicting
    }

    private func receiveWatch(
        of partitions: [SinkPartition], over connection: RedisConnection
    ) throws -> [SinkPartition: StoredWatermark] {
        _ = try connection.receive()
        let stored = try watermarks.watermarks(in: try connection.receive(), of: partitions)
        return Dictionary(uniqueKeysWithValues: zip(partitions, stored.map { $0 ?? .start }))
    }

    /// Collects the group and returns `true` if all its batches continue this process's last writes.
    private func collectAhead(_ group: inout PartitionGroup) -> Bool {
        var expected: [SinkPartition: StoredWatermark] = [:]
        for batch in group.batches {
            guard let last = partitions[batch.partition], last.progress.next == batch.from else { return false }
            expected[batch.partition] = last.progress
        }
        collect(&group, expected)
        return true
    }

    /// Returns whether Redis has the progress of this process's last writes.
    private func isExpected(_ stored: [SinkPartition: StoredWatermark]) -> Bool {
        stored.allSatisfy { partitions[$0.key]?.progress == $0.value }
    }

    /// Collects the batches that begin at their partition's next offset; reports the other partitions as superseded.
    private func collect(_ group: inout PartitionGroup, _ stored: [SinkPartition: StoredWatermark]) {
        drivers.begin()
        trips.begin()
        group.partitions.removeAll()
        group.report = SinkReport()
        for batch in group.batches {
            var index = group.partitions.firstIndex { $0.name == batch.partition }
            let progress = index.map { group.partitions[$0].progress } ?? stored[batch.partition] ?? .start
            guard progress.next == batch.from else {
                partitions[batch.partition] = nil
                if !group.report.superseded.contains(batch.partition) {
                    group.report.superseded.append(batch.partition)
                }
                continue
            }
            if index == nil {
                group.partitions.append(
                    PartitionGroup.Partition(
                        name: batch.partition, progress: progress,
                        generation: generation(of: batch.partition, progress), before: progress))
                index = group.partitions.count - 1
            }
            guard let index else { continue }
            collect(
                batch, into: &group.report, watermark: &group.partitions[index].progress.watermark,
                generation: group.partitions[index].generation)
            group.partitions[index].progress.next = batch.to
        }
    }

    /// Returns the current generation if this process wrote `progress`, and a new one if not.
    private func generation(of partition: SinkPartition, _ progress: StoredWatermark) -> UInt32 {
        if let last = partitions[partition], last.progress == progress { return last.generation }
        lastGeneration += 1
        return lastGeneration
    }

    /// Sends the group's transaction, followed by the watch for the next one.
    private func send(
        _ group: inout PartitionGroup, watchingNext next: [SinkPartition], over connection: RedisConnection
    ) throws {
        if group.partitions.isEmpty {
            commands.begin("UNWATCH", arguments: 0)
        } else {
            try lookUp(group.starts, over: connection)
            try addTransaction(&group, over: connection)
        }
        if !next.isEmpty { watermarks.addWatch(of: next, to: &commands) }
        try connection.send(&commands)
    }

    /// Reads the keys of drivers and channels that are not cached.
    ///
    /// Call after `WATCH`. Data of a partition, also in keys shared with other partitions, changes
    /// only together with its watermark, so the replies stay valid until the transaction.
    private func lookUp(_ starts: [UInt32: PartitionStart], over connection: RedisConnection) throws {
        guard !drivers.unknown.isEmpty || !trips.unknown.isEmpty else { return }
        for driver in drivers.unknown {
            drivers.addLookup(of: driver, to: &commands)
            try sendIfLarge(over: connection)
        }
        for channel in trips.unknown {
            trips.addLookup(of: channel, to: &commands)
            try sendIfLarge(over: connection)
        }
        try connection.send(&commands)
        for driver in drivers.unknown {
            drivers.cache(try connection.receive(), of: driver, starts)
            _ = try connection.receive()
        }
        for channel in trips.unknown {
            trips.cache(try connection.receive(), of: channel)
            _ = try connection.receive()
        }
        try readStreams(over: connection)
    }

    /// Reads the streams of channels without the partition's watermark; most are new.
    private func readStreams(over connection: RedisConnection) throws {
        guard !trips.withoutWatermark.isEmpty else { return }
        for channel in trips.withoutWatermark {
            trips.addStreamLookup(of: channel, to: &commands)
            try sendIfLarge(over: connection)
        }
        try connection.send(&commands)
        for channel in trips.withoutWatermark { trips.addLeftovers(in: try connection.receive(), of: channel) }
    }

    /// Adds the commands of the transaction and updates the caches as if it had succeeded.
    ///
    /// ``finish(_:over:into:)`` invalidates the caches if the transaction fails.
    private func addTransaction(_ group: inout PartitionGroup, over connection: RedisConnection) throws {
        let now = monotonicMilliseconds
        var sent = 0
        commands.begin("MULTI", arguments: 0)
        for driver in drivers.touched {
            let count = drivers.addCommands(of: driver, now: now, to: &commands)
            group.report.written += count.written
            group.report.repeated += count.repeated
            sent += try sendIfLarge(over: connection)
        }
        drivers.addPlacements(to: &commands)
        for channel in trips.touched {
            group.report.written += trips.addCommands(of: channel, now: now, to: &commands)
            sent += try sendIfLarge(over: connection)
        }
        for partition in group.partitions {
            commands.add(command: "SET", [watermarks.key(of: partition.name), partition.progress.text])
            partitions[partition.name] = WrittenPartition(
                progress: partition.progress, generation: partition.generation)
        }
        commands.begin("EXEC", arguments: 0)
        group.commandCount = sent + commands.count - 2
        drivers.commit(now: now)
        trips.commit(now: now)
    }

    /// Receives the reply to the group's transaction.
    ///
    /// - Returns: the batches to retry; empty if the transaction was executed.
    private func finish(
        _ group: PartitionGroup, over connection: RedisConnection, into report: inout SinkReport
    ) throws -> [PartitionBatch] {
        report.superseded += group.report.superseded
        guard let commandCount = group.commandCount else {
            _ = try connection.receive()
            return []
        }
        switch try connection.receiveTransaction(commands: commandCount) {
        case .conflict:
            for partition in group.partitions { partitions[partition.name] = nil }
            return group.writtenBatches
        case .executed(let failures):
            if let failure = failures.first {
                try resetProgress(of: group)
                throw failure
            }
            report.written += group.report.written
            report.repeated += group.report.repeated
            report.unreadable += group.report.unreadable
            return []
        }
    }

    /// Resets the progress after a transaction in which some commands failed.
    ///
    /// The records are then read again: failed commands are repeated, and executed commands are
    /// skipped by the event ids in the keys. Uses a new connection, because replies are pending on
    /// the current one.
    private func resetProgress(of group: PartitionGroup) throws {
        let connection = try RedisConnection(configuration.redis)
        for partition in group.partitions {
            let key = watermarks.key(of: partition.name)
            _ = try connection.call("WATCH", key)
            guard try connection.call("MGET", key).elements.first?.text == partition.progress.text else {
                _ = try connection.call("UNWATCH")
                continue
            }
            _ = try connection.call("MULTI")
            _ = try connection.call("SET", key, partition.before.text)
            _ = try connection.call("EXEC")
        }
    }

    /// Sends pending commands above the threshold; returns the number of commands sent.
    @discardableResult
    private func sendIfLarge(over connection: RedisConnection) throws -> Int {
        guard commands.byteCount >= Self.sendThreshold else { return 0 }
        let count = commands.count
        try connection.send(&commands)
        return count
    }
}
