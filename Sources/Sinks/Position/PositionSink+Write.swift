import Lanes
import Redis
import Tracking
import Wire

extension PositionSink {
    /// Bytes of commands after which a first part is sent, so that Redis works while the rest is written.
    private static let sendThreshold = 1 << 16

    /// A lane of the write at hand.
    private struct WatchedLane {
        var lane: SinkLane
        var clock: StoredClock
        /// Whether a batch of this call was taken in.
        var isWritten = false
        var epoch: UInt32 = 0
    }

    /// Writes the batches in one transaction.
    ///
    /// - Returns: `false`, and nothing written, when a lane's clock was changed by somebody else in between; lanes
    ///   whose clock had moved on before that are in the report all the same.
    func attempt(_ batches: [LaneBatch], over connection: RedisConnection, into report: inout SinkReport) throws -> Bool
    {
        guard !batches.isEmpty else { return true }
        var watched = try watch(batches, over: connection)
        drivers.begin()
        trips.begin()
        for batch in batches {
            guard let index = watched.firstIndex(where: { $0.lane == batch.lane }),
                watched[index].clock.next == batch.from
            else {
                lanes[batch.lane] = nil
                report.superseded.append(batch.lane)
                continue
            }
            if !watched[index].isWritten { watched[index].epoch = epoch(of: batch) }
            collect(batch, clock: &watched[index].clock.events, epoch: watched[index].epoch, into: &report)
            watched[index].clock.next = batch.to
            watched[index].isWritten = true
        }
        let written = watched.filter(\.isWritten)
        guard !written.isEmpty else {
            try connection.call("UNWATCH")
            return true
        }
        try lookUp(over: connection)
        guard try execute(written, over: connection, into: &report) else { return false }
        let now = monotonicMilliseconds
        drivers.commit(now: now)
        trips.commit(now: now)
        for lane in written { lanes[lane.lane] = LaneKnowledge(next: lane.clock.next, epoch: lane.epoch) }
        return true
    }

    /// Watches the lanes' clocks and reads them: from here on a change by anybody else undoes the transaction.
    private func watch(_ batches: [LaneBatch], over connection: RedisConnection) throws -> [WatchedLane] {
        var unique: [SinkLane] = []
        for batch in batches where !unique.contains(batch.lane) { unique.append(batch.lane) }
        commands.removeAll()
        commands.begin("WATCH", arguments: unique.count)
        for lane in unique { commands.add(clockKey(of: lane)) }
        addClockRead(of: unique)
        try connection.send(&commands)
        _ = try connection.receive()
        let stored = try storedClocks(in: try connection.receive(), of: unique)
        return zip(unique, stored).map { WatchedLane(lane: $0, clock: $1 ?? .start) }
    }

    /// The lane's epoch: a new one unless this batch follows this process's own last write.
    private func epoch(of batch: LaneBatch) -> UInt32 {
        if let known = lanes[batch.lane], known.next == batch.from { return known.epoch }
        lastEpoch += 1
        return lastEpoch
    }

    private func collect(_ batch: LaneBatch, clock: inout LaneClock, epoch: UInt32, into report: inout SinkReport) {
        if batch.lane.topic == PipelineTopic.locations.rawValue {
            for record in batch.records { collectPosition(record, clock: &clock, epoch: epoch, into: &report) }
        } else {
            for record in batch.records { collectUpdate(record, clock: &clock, epoch: epoch, into: &report) }
        }
    }

    private func collectPosition(
        _ record: InputRecord, clock: inout LaneClock, epoch: UInt32, into report: inout SinkReport
    ) {
        guard let value = record.value, let verdict = verdicts.read(value), DriverBatch.canKeep(verdict.driverID) else {
            report.unreadable += 1
            return
        }
        let event = record.clock ?? verdict.eventID
        guard clock.advance(to: event) else {
            report.repeated += 1
            return
        }
        // Everything but an accepted position moves the clock and nothing else.
        guard let estimate = verdict.estimate else { return }
        drivers.add(verdict, estimate, event: event, epoch: epoch)
    }

    private func collectUpdate(
        _ record: InputRecord, clock: inout LaneClock, epoch: UInt32, into report: inout SinkReport
    ) {
        guard let value = record.value, let envelope = UpdateEnvelope(value), TripBatch.canKeep(envelope.channel) else {
            report.unreadable += 1
            return
        }
        if let event = record.clock ?? envelope.event, !clock.advance(to: event) {
            report.repeated += 1
            return
        }
        trips.add(envelope, of: record, message: value, epoch: epoch)
    }

    /// Reads what has to be known of drivers and trips that this process has not written yet.
    ///
    /// After `WATCH`, so what is read cannot change before the transaction: a lane's keys are written with its clock.
    private func lookUp(over connection: RedisConnection) throws {
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
        for driver in drivers.unknown { drivers.learn(try connection.receive(), of: driver) }
        for channel in trips.unknown { trips.learn(try connection.receive(), of: channel) }
    }

    /// Writes and runs the transaction.
    /// - Returns: `false` when a watched clock had changed.
    private func execute(
        _ written: [WatchedLane], over connection: RedisConnection, into report: inout SinkReport
    ) throws -> Bool {
        let now = monotonicMilliseconds
        var sent = 0
        commands.begin("MULTI", arguments: 0)
        try prefix.withUnsafeBytes { prefix in
            for driver in drivers.touched {
                if drivers.addCommands(of: driver, prefix: prefix, now: now, to: &commands) {
                    report.written += 1
                } else {
                    report.repeated += 1
                }
                sent += try sendIfLarge(over: connection)
            }
            drivers.addPlaces(prefix: prefix, to: &commands)
            for channel in trips.touched {
                report.written += trips.addCommands(of: channel, prefix: prefix, now: now, to: &commands)
                sent += try sendIfLarge(over: connection)
            }
        }
        for lane in written {
            commands.begin("SET", arguments: 2)
            commands.add(clockKey(of: lane.lane))
            commands.add(lane.clock.text)
        }
        commands.begin("EXEC", arguments: 0)
        sent += commands.count
        try connection.send(&commands)
        switch try connection.receiveTransaction(commands: sent - 2) {
        case .conflict:
            return false
        case .executed(let failures):
            // An update whose id the stream has passed is there already: the stream outlived its snapshot.
            if let failure = failures.first(where: { !$0.isStreamIDInPast }) { throw failure }
            report.written -= failures.count
            report.repeated += failures.count
            return true
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
