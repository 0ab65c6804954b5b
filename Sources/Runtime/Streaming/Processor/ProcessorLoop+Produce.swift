import Domain
import Kafka
import Logging
import Processing
import Support

extension ProcessorLoop {
    /// Sends all collected outputs and removes them.
    ///
    /// Outputs of a partition are sent in steps, each acknowledged before the next: outputs before the changelog, the
    /// changelog, a checkpoint, the changelog after it. A changelog record marks its input as processed, so the outputs
    /// that a crash must not lose are written first. A partition whose outputs stay unacknowledged is parked with its
    /// remaining outputs, so the other partitions wait for up to ``ProcessorWorkerSettings/parkDelay``.
    func produceOutputs(_ clients: ProcessorClients) throws {
        try checkPartitions()
        let steps = sendingSteps()
        for step in 0...(steps.max() ?? 0) {
            for index in 0..<outputs.count where isToBeSent(index) && (steps.isEmpty || steps[index] == step) {
                try send(index, step, clients)
            }
            if !steps.isEmpty { try awaitStep(step, steps, clients) }
        }
        countOutputs()
        outputs.removeAll()
    }

    /// Returns the step of each output; empty if all may be in flight together.
    private func sendingSteps() -> [Int] {
        let isCheckpoint = layout.outputs.map { $0.delivery == .checkpoint }
        let isAhead = layout.outputs.indices.map {
            $0 > 0 && layout.outputs[$0].delivery == .beforeChangelog
        }
        let isWaitedFor = zip(isCheckpoint, isAhead).map { $0 || $1 }
        guard isWaitedFor.contains(true),
            (0..<outputs.count).contains(where: { isWaitedFor[topic(of: $0)] && isToBeSent($0) })
        else { return [] }
        // Per partition: the changelog's first step, and the number of steps after it, which is odd for checkpoints.
        var base = [Int](repeating: 0, count: assignedPartitions.count)
        var phase = [Int](repeating: 0, count: assignedPartitions.count)
        for index in 0..<outputs.count where isToBeSent(index) && isAhead[topic(of: index)] {
            base[Int(outputs.entries[index].partition)] = 1
        }
        var steps = [Int](repeating: 0, count: outputs.count)
        for index in 0..<outputs.count where isToBeSent(index) && !isAhead[topic(of: index)] {
            let partition = Int(outputs.entries[index].partition)
            if (phase[partition] % 2 == 1) != isCheckpoint[topic(of: index)] { phase[partition] += 1 }
            steps[index] = base[partition] + phase[partition]
        }
        return steps
    }

    /// Waits until partitions with later steps, or with a checkpoint in `step`, have no unacknowledged outputs.
    private func awaitStep(_ step: Int, _ steps: [Int], _ clients: ProcessorClients) throws {
        var isAwaited = [Bool](repeating: false, count: assignedPartitions.count)
        for index in 0..<outputs.count where isToBeSent(index) && steps[index] >= step {
            let isCheckpoint = layout.outputs[topic(of: index)].delivery == .checkpoint
            if steps[index] > step || isCheckpoint { isAwaited[Int(outputs.entries[index].partition)] = true }
        }
        let awaited = assignedPartitions.filter { assigned in assigned.map { isAwaited[Int($0.number)] } ?? false }
        while awaited.contains(where: { $0.map { !$0.isParked && $0.inFlight.outstanding > 0 } ?? false }) {
            clients.producer.requestFlush()
            try wait(milliseconds: 5, clients)
        }
    }

    /// Serves acknowledgements, and parks partitions that have waited too long.
    private func wait(milliseconds: Int, _ clients: ProcessorClients) throws {
        try serveDeliveries(waitMilliseconds: milliseconds)
        try checkInterruption()
        try checkPartitions()
        try parkOverdue(clients)
    }

    private func topic(of index: Int) -> Int { outputs.batch.outputs[index].topic }

    private func isToBeSent(_ index: Int) -> Bool { !outputs.entries[index].isDuplicate }

    private func countOutputs() {
        var repeated = 0
        var counts = [Int](repeating: 0, count: outputNames.count)
        for index in 0..<outputs.count {
            if isToBeSent(index) { counts[topic(of: index)] += 1 } else { repeated += 1 }
        }
        if repeated > 0 { metrics.outputsRepeated.increment(by: repeated) }
        for (topic, count) in counts.enumerated() where count > 0 { metrics.recordsOut[topic].increment(by: count) }
    }

    /// Queues one output, or parks it if its partition is parked; waits for room.
    private func send(_ index: Int, _ step: Int, _ clients: ProcessorClients) throws {
        guard let assigned = assignedPartitions[Int(outputs.entries[index].partition)] else {
            preconditionFailure("An output belongs to a partition that is not assigned.")
        }
        let output = outputs.batch.outputs[index]
        var headers = makeHeaders(for: output, clients.batch)
        for header in output.headers {
            let entry = outputs.batch.headers[header]
            headers.add(entry.name, outputs.batch.bytes.slice(entry.value))
        }
        headers.add(RecordHeader.watermark, outputs.watermarkHeader(at: index))
        let record = KafkaProducer.Record(
            key: outputs.batch.bytes.slice(output.key), value: output.value.map { outputs.batch.bytes.slice($0) },
            timestamp: output.timestamp)
        while !assigned.isParked {
            if inFlightLimit.hasRoom,
                try queue(record, &headers, byteCount: record.byteCount, topic: output.topic, of: assigned, clients)
            {
                return
            }
            try wait(milliseconds: 20, clients)
        }
        assigned.parkedOutputs.append(ParkedOutput(record, headers: headers, topic: output.topic, step: step))
    }

    /// Passes a record to the producer.
    /// - Returns: `false` if its queue is full.
    func queue(
        _ record: KafkaProducer.Record, _ headers: inout KafkaHeaders, byteCount: Int, topic: Int,
        of assigned: AssignedPartition, _ clients: ProcessorClients
    ) throws -> Bool {
        let batch = assigned.currentBatch()
        let result = clients.producer.produce(
            record, to: clients.topics[topic], partition: assigned.number, headers: &headers,
            token: DeliveryToken(partition: assigned.number, batch: batch, isChangelog: topic == 0).raw)
        switch result {
        case .queued:
            assigned.inFlight.expect(batch, byteCount: byteCount)
            if !assigned.isParked { inFlightLimit.add(records: 1, bytes: byteCount) }
            return true
        case .queueFull: return false
        case .refused(let error): throw undeliverable(error)
        }
    }

    private func makeHeaders(for output: OutputBatch.Output, _ batch: KafkaBatch) -> KafkaHeaders {
        let count = output.headers.count + 1
        guard output.copiesInputHeaders, let message = sourceMessage(output.source, batch) else {
            return KafkaHeaders(capacity: count)
        }
        // Omits headers that make the record too large for its topic, because it would block the partition permanently.
        let bytes = output.key.count + (output.value?.count ?? 0) + message.headerByteCount
        guard bytes <= PipelineTopic.deadLetterInputBytes else {
            var headers = KafkaHeaders(capacity: count + 1)
            ByteSlice.withBytes(of: "headers") { headers.add(RecordHeader.omitted, $0) }
            return headers
        }
        var headers = KafkaHeaders(copying: message, capacity: count)
        // A dead letter that was sent again still has its old headers.
        for name in RecordHeader.ofDeadLetters { headers.remove(name) }
        return headers
    }

    /// Processes delivery reports.
    /// - Throws: ``WorkerError`` if a record cannot be delivered.
    func serveDeliveries(waitMilliseconds: Int) throws {
        guard let clients else { return }
        try clients.producer.pollDeliveries(waitMilliseconds: waitMilliseconds) { delivery in
            let token = DeliveryToken(raw: delivery.token)
            guard let assigned = assignedPartitions[Int(token.partition)] else {
                preconditionFailure("A partition was released before its outputs were acknowledged.")
            }
            let bytes = assigned.inFlight.acknowledge(token.batch)
            if !assigned.isParked { inFlightLimit.remove(records: 1, bytes: bytes) }
            if token.isChangelog, let offset = delivery.offset {
                let lost = assigned.recordChangelogWrite(offset: offset)
                if lost > 0 { reportTruncation(of: token.partition, count: lost) }
            }
            if let error = delivery.error, deliveryFailure == nil { deliveryFailure = error }
        }
        if let deliveryFailure { throw undeliverable(deliveryFailure) }
    }

    /// Reports lost acknowledged records of a changelog.
    func reportTruncation(of partition: Int32, count: Int64) {
        metrics.changelogRecordsLost.increment(by: count)
        context.logger.error(
            "Changelog was truncated; acknowledged records are lost.",
            metadata: .of([.topic: "\(outputNames[0])", .partition: "\(partition)", .count: "\(count)"]))
    }

    private func undeliverable(_ error: KafkaError) -> WorkerError {
        let code: WorkerError.Code =
            switch error.code {
            case .fenced: .fenced
            case .access: .access
            case .topicMissing: .topicMissing
            default: .delivery
            }
        return WorkerError(code, error.description)
    }

    /// Stores the input offsets of acknowledged batches.
    func releaseOffsets() {
        guard let clients else { return }
        for case let assigned? in assignedPartitions {
            assigned.inFlight.release { progress in
                // Has no effect if the partition was revoked.
                clients.consumer.storeOffset(
                    input: progress.input, partition: progress.partition,
                    KafkaCommit(offset: progress.next, metadata: ChangelogEnd.metadata(assigned.changelogEnd)))
            }
        }
    }
}

extension KafkaProducer.Record {
    /// Bytes of key and value.
    fileprivate var byteCount: Int { key.count + (value?.count ?? 0) }
}
