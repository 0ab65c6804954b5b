import Kafka
import Logging
import Support

extension ProcessorLoop {
    /// Processes what was polled and produces what came of it.
    func processBatch(_ clients: ProcessorClients) throws {
        let started = ContinuousClock.now
        let batch = clients.batch
        var current: AssignedPartition?
        var (currentNumber, currentInput): (Int32, Int) = (-1, -1)
        var latencySample: Timestamp?
        var counts = [Int](repeating: 0, count: inputNames.count)
        for index in 0..<batch.count {
            guard let message = batch.message(at: index) else {
                try noteEvent(batch[index], clients)
                continue
            }
            if message.partition != currentNumber {
                if let latencySample { sampleLatency(since: latencySample) }
                currentNumber = message.partition
                current = begin(partition: currentNumber, seen: started)
                currentInput = -1
            }
            if message.input != currentInput, let current {
                currentInput = message.input
                lookAtKey(message, of: current, at: started)
            }
            // A partition that was parked in the middle of the batch is read again from there.
            guard let current, !current.isParked else { continue }
            counts[message.input] += 1
            if current.mustHold(input: message.input, limit: plan.settings.maximumHeldRecords) {
                current.noteRecord(input: message.input, offset: message.offset)
                if let taken = batch.take(at: index) { current.hold(taken) }
                continue
            }
            latencySample = try process(message, source: index, in: current, clients) ?? latencySample
            if outputs.batch.isFull { try sendPart(of: current, clients) }
        }
        if let latencySample { sampleLatency(since: latencySample) }
        for (input, count) in counts.enumerated() where count > 0 {
            metrics.common.recordsIn[input].increment(by: count)
        }
        try finishBatch(clients, isSmall: batch.count < plan.settings.promptBelowRecords)
        batch.removeAll()
        metrics.common.batchDuration.recordNanoseconds(started.duration(to: .now).nanoseconds)
    }

    /// - Returns: the record's time; `nil` when the partition was parked before the record was processed.
    @inline(__always)
    private func process(
        _ message: KafkaMessage, source: Int, in task: AssignedPartition, _ clients: ProcessorClients
    ) throws -> Timestamp? {
        // What a stage answers stands in the value; headers are for restoring.
        let record = message.recordWithoutHeaders
        if task.hasHeld {
            try processHeld(of: task, upTo: task.holdingLimit(before: record.timestamp, input: record.input), clients)
            if task.isParked { return nil }
        }
        task.noteRecord(input: record.input, offset: record.offset)
        task.core.process(record, source: source, into: &outputs)
        return record.timestamp
    }

    private func sampleLatency(since received: Timestamp) {
        // A record without a timestamp has no latency.
        guard received.milliseconds > 0 else { return }
        let milliseconds = max(0, Timestamp.wallClock.milliseconds - received.milliseconds)
        metrics.common.recordLatency.recordMilliseconds(milliseconds)
    }

    /// The partition numbered `number`, marked as touched by this batch; `nil` when this process does not hold it, or has
    /// parked it.
    private func begin(partition number: Int32, seen: ContinuousClock.Instant) -> AssignedPartition? {
        guard let task = tasks[Int(number)], !task.isParked else { return nil }
        touch(task)
        task.noteRead(at: seen)
        return task
    }

    private func touch(_ task: AssignedPartition) {
        guard !task.isTouched else { return }
        task.isTouched = true
        touched.append(task)
    }

    /// Processes the held records whose time has come.
    private func processHeld(of task: AssignedPartition, upTo time: Timestamp?, _ clients: ProcessorClients) throws {
        while !task.isParked, let message = task.takeHeld(upTo: time) {
            borrowed.append(message)
            // -1 stands for no source; held records count down from there.
            task.core.process(message.recordWithoutHeaders, source: -1 - borrowed.count, into: &outputs)
            if outputs.batch.isFull { try sendPart(of: task, clients) }
        }
    }

    /// The input record numbered `source`; `nil` for outputs that no record caused.
    func sourceMessage(_ source: Int, _ batch: KafkaBatch) -> KafkaMessage? {
        if source >= 0 { return batch.message(at: source) }
        return source == -1 ? nil : borrowed[-2 - source]
    }

    /// Produces the outputs at hand, and has the touched partitions' offsets given out once they are acknowledged.
    private func finishBatch(_ clients: ProcessorClients, isSmall: Bool) throws {
        try produceOutputs(clients)
        touched.removeAll(keepingCapacity: true)
        for case let task? in tasks { task.closeTicket() }
        for message in borrowed { message.destroy() }
        borrowed.removeAll(keepingCapacity: true)
        if isSmall, unacknowledged.records > 0 { clients.producer.hurry() }
    }

    /// Sends what is at hand in the middle of a poll, between two records: records of a few bytes may make outputs of
    /// many, and what a poll makes of them need not fit into memory.
    private func sendPart(of task: AssignedPartition, _ clients: ProcessorClients) throws {
        try finishBatch(clients, isSmall: false)
        // The rest of the poll goes on with it.
        touch(task)
    }

    /// Produces outputs that no record of a batch caused: punctuations in silence, the end of a restore.
    func finishQuietOutputs() throws {
        guard let clients, !outputs.isEmpty || !borrowed.isEmpty else { return }
        try finishBatch(clients, isSmall: true)
    }

    private func noteEvent(_ entry: KafkaBatch.Entry?, _ clients: ProcessorClients) throws {
        switch entry {
        case .end(let input, let number, _):
            guard let task = tasks[Int(number)], !task.isParked else { return }
            task.noteEnd(input: input)
            if task.hasHeld, task.isCaughtUp {
                touch(task)
                try processHeld(of: task, upTo: nil, clients)
            }
        case .failure: try noteFailure(entry)
        case .message, nil: return
        }
    }

    /// Fires the punctuations that silence makes due.
    func passSilentTime() throws {
        guard plan.layout.punctuationIntervalMilliseconds != nil else { return }
        let now = ContinuousClock.now
        for case let task? in tasks where task.isSilent && !task.isParked {
            guard let time = task.silentTime(at: now, graceMilliseconds: plan.settings.punctuationGraceMilliseconds)
            else { continue }
            task.core.punctuate(upTo: time, into: &outputs)
        }
        try finishQuietOutputs()
    }
}
