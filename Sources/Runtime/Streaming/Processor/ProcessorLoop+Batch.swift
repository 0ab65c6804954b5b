import Kafka
import Logging
import Support

extension ProcessorLoop {
    /// Processes the polled records and produces their outputs.
    func processBatch(_ clients: ProcessorClients) throws {
        let started = ContinuousClock.now
        let batch = clients.batch
        var current: AssignedPartition?
        var (currentNumber, currentInput): (Int32, Int) = (-1, -1)
        var latencySample: Timestamp?
        var counts = [Int](repeating: 0, count: inputNames.count)
        for index in 0..<batch.count {
            guard let message = batch.message(at: index) else {
                try handleEntry(batch[index], clients)
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
                checkKey(message, of: current, at: started)
            }
            // The records of a partition parked during the batch are read again later.
            guard let current, !current.isParked else { continue }
            counts[message.input] += 1
            if current.mustDefer(input: message.input, limit: settings.maximumDeferredRecords) {
                current.markRead(input: message.input, offset: message.offset)
                if let detached = batch.detach(at: index) { current.addDeferred(detached) }
                continue
            }
            latencySample = try process(message, source: index, in: current, clients) ?? latencySample
            if outputs.batch.isFull { try sendPart(of: current, clients) }
        }
        if let latencySample { sampleLatency(since: latencySample) }
        for (input, count) in counts.enumerated() where count > 0 {
            metrics.common.recordsIn[input].increment(by: count)
        }
        try finishBatch(clients, isSmall: batch.count < settings.promptBelowRecords)
        batch.removeAll()
        metrics.common.batchDuration.recordNanoseconds(started.duration(to: .now).nanoseconds)
    }

    /// Processes deferred records that are due, then `message`.
    /// - Returns: the time of `message`; `nil` if the partition was parked first.
    @inline(__always)
    private func process(
        _ message: KafkaMessage, source: Int, in assigned: AssignedPartition, _ clients: ProcessorClients
    ) throws -> Timestamp? {
        // Only restores need headers.
        let record = message.recordWithoutHeaders
        if assigned.hasDeferred {
            try processDeferred(
                of: assigned, upTo: assigned.deferralLimit(before: record.timestamp, input: record.input), clients)
            if assigned.isParked { return nil }
        }
        assigned.markRead(input: record.input, offset: record.offset)
        assigned.processor.process(record, source: source, into: &outputs)
        return record.timestamp
    }

    private func sampleLatency(since received: Timestamp) {
        // A record without a timestamp has no latency.
        guard received.milliseconds > 0 else { return }
        let milliseconds = max(0, WallClock.milliseconds() - received.milliseconds)
        metrics.common.recordLatency.recordMilliseconds(milliseconds)
    }

    /// Returns the partition and marks it as touched; `nil` if it is not assigned or is parked.
    private func begin(partition number: Int32, seen: ContinuousClock.Instant) -> AssignedPartition? {
        guard let assigned = assignedPartitions[Int(number)], !assigned.isParked else { return nil }
        touch(assigned)
        assigned.beginRead(at: seen)
        return assigned
    }

    private func touch(_ assigned: AssignedPartition) {
        guard !assigned.isTouched else { return }
        assigned.isTouched = true
        touched.append(assigned)
    }

    /// Processes deferred records up to `time`; `nil` processes all.
    private func processDeferred(
        of assigned: AssignedPartition, upTo time: Timestamp?, _ clients: ProcessorClients
    ) throws {
        while !assigned.isParked, let message = assigned.popDeferred(upTo: time) {
            processedDeferred.append(message)
            // -1 means no source; deferred records count down from -2.
            let source = -1 - processedDeferred.count
            assigned.processor.process(message.recordWithoutHeaders, source: source, into: &outputs)
            if outputs.batch.isFull { try sendPart(of: assigned, clients) }
        }
    }

    /// Returns the input record of an output; `nil` if no record caused it.
    func sourceMessage(_ source: Int, _ batch: KafkaBatch) -> KafkaMessage? {
        if source >= 0 { return batch.message(at: source) }
        return source == -1 ? nil : processedDeferred[-2 - source]
    }

    /// Produces the collected outputs and closes the batch of each partition.
    private func finishBatch(_ clients: ProcessorClients, isSmall: Bool) throws {
        try produceOutputs(clients)
        touched.removeAll(keepingCapacity: true)
        for case let assigned? in assignedPartitions { assigned.closeBatch() }
        for message in processedDeferred { message.destroy() }
        processedDeferred.removeAll(keepingCapacity: true)
        if isSmall, inFlightLimit.records > 0 { clients.producer.requestFlush() }
    }

    /// Produces the outputs collected so far, in the middle of a poll's records.
    ///
    /// Small records may have large outputs, so that the outputs of a whole poll may not fit into memory.
    private func sendPart(of assigned: AssignedPartition, _ clients: ProcessorClients) throws {
        try finishBatch(clients, isSmall: false)
        touch(assigned)
    }

    /// Produces outputs outside a batch: of punctuations while no records arrive, and of the end of a restore.
    func finishQuietOutputs() throws {
        guard let clients, !outputs.isEmpty || !processedDeferred.isEmpty else { return }
        try finishBatch(clients, isSmall: true)
    }

    private func handleEntry(_ entry: KafkaBatch.Entry?, _ clients: ProcessorClients) throws {
        switch entry {
        case .end(let input, let number, _):
            guard let assigned = assignedPartitions[Int(number)], !assigned.isParked else { return }
            assigned.markEnd(input: input)
            if assigned.hasDeferred, assigned.isCaughtUp {
                touch(assigned)
                try processDeferred(of: assigned, upTo: nil, clients)
            }
        case .failure: try handleFailure(entry)
        case .message, nil: return
        }
    }

    /// Fires due punctuations of partitions at which no records arrive.
    func fireSilentPunctuations() throws {
        guard layout.punctuationIntervalMilliseconds != nil else { return }
        let now = ContinuousClock.now
        for case let assigned? in assignedPartitions where assigned.isSilent && !assigned.isParked {
            guard let time = assigned.silentTime(at: now, graceMilliseconds: settings.punctuationGraceMilliseconds)
            else { continue }
            assigned.processor.punctuate(upTo: time, into: &outputs)
        }
        try finishQuietOutputs()
    }
}
