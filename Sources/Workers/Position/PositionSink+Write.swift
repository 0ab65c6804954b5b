import Model
import Processing
import Redis

extension PositionSink {
    /// Bytes of commands after which a first part is sent, so that Redis works while the rest is written.
    private static let sendThreshold = 1 << 16

    /// Writes the batches, each partition in one transaction.
    ///
    /// - Returns: the batches of partitions that another process wrote at the same moment. Nothing of them was written;
    ///   the next attempt finds their clocks moved.
    func attempt(
        _ batches: [PartitionBatch], over connection: RedisConnection, into report: inout SinkReport,
        _ meanwhile: () -> Void
    ) throws -> [PartitionBatch] {
        var groups = PartitionGroup.groups(of: batches, size: configuration.transactionRecords)
        guard let first = groups.first else { return [] }
        var conflicting: [PartitionBatch] = []
        commands.removeAll()
        addWatch(of: first.names)
        try connection.send(&commands)
        for number in groups.indices {
            // Taken in ahead of the answer, while Redis carries out the transaction before.
            let isAhead = takeInAhead(&groups[number])
            if number > 0 { conflicting += try finish(groups[number - 1], over: connection, into: &report) }
            let stored = try receiveWatch(of: groups[number].names, over: connection)
            if !isAhead || !wasExpected(stored) { takeIn(&groups[number], stored) }
            let next = number + 1 < groups.count ? groups[number + 1].names : []
            try send(&groups[number], watchingNext: next, over: connection)
        }
        meanwhile()
        if let last = groups.last { conflicting += try finish(last, over: connection, into: &report) }
        return conflicting
    }

    /// Watches the partitions' clocks and reads them: from here on a change by another client aborts the transaction.
    private func addWatch(of partitions: [SinkPartition]) {
        commands.begin("WATCH", arguments: partitions.count)
        for partition in partitions { commands.add(clockKey(of: partition)) }
        addClockRead(of: partitions)
    }

    private func receiveWatch(
        of partitions: [SinkPartition], over connection: RedisConnection
    ) throws -> [SinkPartition: StoredWatermark] {
        _ = try connection.receive()
        let clocks = try storedClocks(in: try connection.receive(), of: partitions)
        return Dictionary(uniqueKeysWithValues: zip(partitions, clocks.map { $0 ?? .start }))
    }

    /// Takes in the group if all its batches follow this process's own last writes, whose clocks it knows.
    private func takeInAhead(_ group: inout PartitionGroup) -> Bool {
        var expected: [SinkPartition: StoredWatermark] = [:]
        for batch in group.batches {
            guard let known = partitions[batch.partition], known.clock.next == batch.from else { return false }
            expected[batch.partition] = known.clock
        }
        takeIn(&group, expected)
        return true
    }

    /// Whether Redis holds the clocks that this process expects there.
    private func wasExpected(_ stored: [SinkPartition: StoredWatermark]) -> Bool {
        stored.allSatisfy { partitions[$0.key]?.clock == $0.value }
    }

    /// Takes in the batches that begin at the next offset of their clock, and notes the other partitions as superseded.
    private func takeIn(_ group: inout PartitionGroup, _ clocks: [SinkPartition: StoredWatermark]) {
        drivers.begin()
        trips.begin()
        group.partitions.removeAll()
        group.report = SinkReport()
        for batch in group.batches {
            var index = group.partitions.firstIndex { $0.name == batch.partition }
            let clock = index.map { group.partitions[$0].clock } ?? clocks[batch.partition] ?? .start
            guard clock.next == batch.from else {
                partitions[batch.partition] = nil
                if !group.report.superseded.contains(batch.partition) {
                    group.report.superseded.append(batch.partition)
                }
                continue
            }
            if index == nil {
                group.partitions.append(
                    PartitionGroup.Partition(
                        name: batch.partition, clock: clock, epoch: epoch(of: batch.partition, clock), before: clock))
                index = group.partitions.count - 1
            }
            guard let index else { continue }
            collect(
                batch, into: &group.report, clock: &group.partitions[index].clock.events,
                epoch: group.partitions[index].epoch)
            group.partitions[index].clock.next = batch.to
        }
    }

    /// The partition's epoch: a new one unless `clock` is where this process's own last write left it.
    private func epoch(of partition: SinkPartition, _ clock: StoredWatermark) -> UInt32 {
        if let known = partitions[partition], known.clock == clock { return known.epoch }
        lastEpoch += 1
        return lastEpoch
    }

    /// Sends the group's transaction, and the watch for the next one behind it.
    private func send(
        _ group: inout PartitionGroup, watchingNext next: [SinkPartition], over connection: RedisConnection
    ) throws {
        if group.partitions.isEmpty {
            commands.begin("UNWATCH", arguments: 0)
        } else {
            try lookUp(group.starts, over: connection)
            try addTransaction(&group, over: connection)
        }
        if !next.isEmpty { addWatch(of: next) }
        try connection.send(&commands)
    }

    /// Reads what has to be known of drivers and trips that this process has not written yet.
    ///
    /// After `WATCH`, so what is read cannot change before the transaction: what a partition has in its keys, also in
    /// those it shares with other partitions, is written with its clock.
    private func lookUp(_ starts: [UInt32: PartitionStart], over connection: RedisConnection) throws {
        guard !drivers.unknown.isEmpty || !trips.unknown.isEmpty else { return }
        try prefix.withUnsafeBytes { prefix in
            for driver in drivers.unknown {
                drivers.addLookup(of: driver, prefix: prefix, to: &commands)
                try sendIfLarge(over: connection)
            }
            for channel in trips.unknown {
                trips.addLookup(of: channel, prefix: prefix, to: &commands)
                try sendIfLarge(over: connection)
            }
        }
        try connection.send(&commands)
        for driver in drivers.unknown {
            drivers.learn(try connection.receive(), of: driver, starts)
            _ = try connection.receive()
        }
        for channel in trips.unknown {
            trips.learn(try connection.receive(), of: channel)
            _ = try connection.receive()
        }
        try lookAtStreams(over: connection)
    }

    /// Looks for what the streams of channels hold already whose snapshots do not know the partition; mostly those are
    /// new channels, and there is no stream.
    private func lookAtStreams(over connection: RedisConnection) throws {
        guard !trips.unseen.isEmpty else { return }
        try prefix.withUnsafeBytes { prefix in
            for channel in trips.unseen {
                trips.addStreamLookup(of: channel, prefix: prefix, to: &commands)
                try sendIfLarge(over: connection)
            }
        }
        try connection.send(&commands)
        for channel in trips.unseen { trips.learnStream(try connection.receive(), of: channel) }
    }

    /// Writes the transaction, and takes it for done; ``finish(_:over:into:)`` takes that back if it was not.
    private func addTransaction(_ group: inout PartitionGroup, over connection: RedisConnection) throws {
        let now = monotonicMilliseconds
        var sent = 0
        commands.begin("MULTI", arguments: 0)
        try prefix.withUnsafeBytes { prefix in
            for driver in drivers.touched {
                let count = drivers.addCommands(of: driver, prefix: prefix, now: now, to: &commands)
                group.report.written += count.written
                group.report.repeated += count.repeated
                sent += try sendIfLarge(over: connection)
            }
            drivers.addPlaces(prefix: prefix, to: &commands)
            for channel in trips.touched {
                group.report.written += trips.addCommands(of: channel, prefix: prefix, now: now, to: &commands)
                sent += try sendIfLarge(over: connection)
            }
        }
        for partition in group.partitions {
            commands.begin("SET", arguments: 2)
            commands.add(clockKey(of: partition.name))
            commands.add(partition.clock.text)
            partitions[partition.name] = PartitionKnowledge(clock: partition.clock, epoch: partition.epoch)
        }
        commands.begin("EXEC", arguments: 0)
        group.commandCount = sent + commands.count - 2
        drivers.commit(now: now)
        trips.commit(now: now)
    }

    /// Takes the answers to the group's transaction.
    ///
    /// - Returns: the batches that are to be tried again; empty when the transaction was carried out.
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
                try takeBack(group)
                throw failure
            }
            report.written += group.report.written
            report.repeated += group.report.repeated
            report.unreadable += group.report.unreadable
            return []
        }
    }

    /// Sets the clocks back of a transaction of which Redis has refused some commands: it has carried out the others, and
    /// moved the clocks with them.
    ///
    /// What it refused is written when the records come again; what it carried out is recognised by the keys' own events.
    /// Over a connection of its own, as answers are under way on the other.
    private func takeBack(_ group: PartitionGroup) throws {
        let connection = try RedisConnection(configuration.redis)
        for partition in group.partitions {
            let key = clockKey(of: partition.name)
            _ = try connection.call("WATCH", key)
            guard try connection.call("MGET", key).elements.first?.text == partition.clock.text else {
                _ = try connection.call("UNWATCH")
                continue
            }
            _ = try connection.call("MULTI")
            _ = try connection.call("SET", key, partition.before.text)
            _ = try connection.call("EXEC")
        }
    }

    /// Sends what is there once it is much.
    /// - Returns: how many commands were sent.
    @discardableResult
    private func sendIfLarge(over connection: RedisConnection) throws -> Int {
        guard commands.byteCount >= Self.sendThreshold else { return 0 }
        let count = commands.count
        try connection.send(&commands)
        return count
    }
}
