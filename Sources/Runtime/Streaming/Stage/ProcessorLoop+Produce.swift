import Kafka
import Logging
import Model
import Processing
import Support

extension ProcessorLoop {
    /// Queues all outputs at hand and forgets them.
    ///
    /// Outputs of a partition go in steps, each of which is acknowledged before the next is sent: what precedes the
    /// changelog, the changelog, a checkpoint, the changelog after it. The changelog says how far the stage has come, and
    /// a process that dies in between must not have said so too early. Partitions do not wait for each other; one whose
    /// outputs are not acknowledged for long is parked with the outputs that are left.
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

    /// The step of each output; empty when all may be under way together.
    private func sendingSteps() -> [Int] {
        let isCheckpoint = plan.layout.outputs.map { $0.delivery == .checkpoint }
        let isAhead = plan.layout.outputs.indices.map {
            $0 > 0 && plan.layout.outputs[$0].delivery == .beforeChangelog
        }
        let isWaitedFor = zip(isCheckpoint, isAhead).map { $0 || $1 }
        guard firstToBeSent(isWaitedFor) != nil else { return [] }
        // Per partition: whether anything precedes the changelog, and the phase, which is odd for checkpoints.
        var base = [Int](repeating: 0, count: tasks.count)
        var phase = [Int](repeating: 0, count: tasks.count)
        for index in 0..<outputs.count where isToBeSent(index) && isAhead[topic(of: index)] {
            base[Int(outputs.marks[index].partition)] = 1
        }
        var steps = [Int](repeating: 0, count: outputs.count)
        for index in 0..<outputs.count where isToBeSent(index) && !isAhead[topic(of: index)] {
            let partition = Int(outputs.marks[index].partition)
            if (phase[partition] % 2 == 1) != isCheckpoint[topic(of: index)] { phase[partition] += 1 }
            steps[index] = base[partition] + phase[partition]
        }
        return steps
    }

    /// Waits for all outputs, earlier batches' included, of the partitions that have more to send after `step`, or that
    /// have sent a checkpoint in it.
    private func awaitStep(_ step: Int, _ steps: [Int], _ clients: ProcessorClients) throws {
        var isAwaited = [Bool](repeating: false, count: tasks.count)
        for index in 0..<outputs.count where isToBeSent(index) && steps[index] >= step {
            let isCheckpoint = plan.layout.outputs[topic(of: index)].delivery == .checkpoint
            if steps[index] > step || isCheckpoint { isAwaited[Int(outputs.marks[index].partition)] = true }
        }
        let awaited = tasks.filter { task in task.map { isAwaited[Int($0.core.partition)] } ?? false }
        while awaited.contains(where: { $0.map { !$0.isParked && $0.ledger.outstanding > 0 } ?? false }) {
            clients.producer.hurry()
            try wait(milliseconds: 5, clients)
        }
    }

    /// Takes in acknowledgements, and parks the partitions that have waited for theirs for too long.
    private func wait(milliseconds: Int, _ clients: ProcessorClients) throws {
        try serveDeliveries(waitMilliseconds: milliseconds)
        try checkInterruption()
        try checkPartitions()
        try parkOverdue(clients)
    }

    private func topic(of index: Int) -> Int { outputs.batch.outputs[index].topic }

    private func isToBeSent(_ index: Int) -> Bool { !outputs.marks[index].isRepeated }

    /// The first output that goes to one of the topics marked; `nil` when none does.
    private func firstToBeSent(_ isMarked: [Bool]) -> Int? {
        guard isMarked.contains(true) else { return nil }
        return (0..<outputs.count).first { isMarked[topic(of: $0)] && isToBeSent($0) }
    }

    private func countOutputs() {
        var repeated = 0
        var counts = [Int](repeating: 0, count: outputNames.count)
        for index in 0..<outputs.count {
            if isToBeSent(index) { counts[topic(of: index)] += 1 } else { repeated += 1 }
        }
        if repeated > 0 { metrics.outputsRepeated.increment(by: repeated) }
        for (topic, count) in counts.enumerated() where count > 0 { metrics.recordsOut[topic].increment(by: count) }
    }

    /// Queues one output, or keeps it where its partition is parked.
    ///
    /// While there is no room, waits for acknowledgements.
    private func send(_ index: Int, _ step: Int, _ clients: ProcessorClients) throws {
        guard let task = tasks[Int(outputs.marks[index].partition)] else {
            preconditionFailure("An output is of a partition that this process does not hold.")
        }
        let output = outputs.batch.outputs[index]
        var headers = makeHeaders(for: output, clients.batch)
        for header in output.headers {
            let entry = outputs.batch.headers[header]
            headers.add(entry.name, outputs.batch.bytes.slice(entry.value))
        }
        headers.add(RecordHeader.clock, outputs.clockHeader(at: index))
        let record = KafkaProducer.Record(
            key: outputs.batch.bytes.slice(output.key),
            value: output.value.map { outputs.batch.bytes.slice($0) },
            timestamp: output.timestamp)
        while !task.isParked {
            if unacknowledged.hasRoom,
                try queue(record, &headers, byteCount: record.byteCount, topic: output.topic, of: task, clients)
            {
                return
            }
            try wait(milliseconds: 20, clients)
        }
        task.keep(ParkedOutput(record, headers: headers, topic: output.topic, step: step))
    }

    /// Gives a record to the producer.
    /// - Returns: `false` when its queue is full.
    func queue(
        _ record: KafkaProducer.Record, _ headers: inout KafkaHeaders, byteCount: Int, topic: Int,
        of task: AssignedPartition, _ clients: ProcessorClients
    ) throws -> Bool {
        let ticket = task.openTicket()
        let answer = clients.producer.produce(
            record, to: clients.topics[topic], partition: task.core.partition, headers: &headers,
            ticket: DeliveryToken(partition: task.core.partition, number: ticket, isChangelog: topic == 0).raw)
        switch answer {
        case .queued:
            task.ledger.expect(ticket, byteCount: byteCount)
            if !task.isParked { unacknowledged.add(records: 1, bytes: byteCount) }
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
        // What no dead-letter topic takes would hold the partition up for good.
        let bytes = output.key.count + (output.value?.count ?? 0) + message.headerByteCount
        guard bytes <= PipelineTopic.deadLetterInputBytes else {
            var headers = KafkaHeaders(capacity: count + 1)
            ByteSlice.withBytes(of: "headers") { headers.add(RecordHeader.omitted, $0) }
            return headers
        }
        var headers = KafkaHeaders(copying: message, capacity: count)
        // A dead letter that is sent again has them of the time before.
        for name in RecordHeader.ofDeadLetters { headers.remove(name) }
        return headers
    }

    /// Takes in acknowledgements.
    /// - Throws: ``WorkerError`` when a record will never be delivered.
    func serveDeliveries(waitMilliseconds: Int) throws {
        guard let clients else { return }
        try clients.producer.pollDeliveries(waitMilliseconds: waitMilliseconds) { delivery in
            let ticket = DeliveryToken(raw: delivery.ticket)
            guard let task = tasks[Int(ticket.partition)] else {
                preconditionFailure("A partition was given back before its outputs were acknowledged.")
            }
            let bytes = task.ledger.acknowledge(ticket.number)
            if !task.isParked { unacknowledged.remove(records: 1, bytes: bytes) }
            if ticket.isChangelog, let offset = delivery.offset {
                let lost = task.noteChangelog(offset: offset)
                if lost > 0 { reportLostEnd(of: ticket.partition, count: lost) }
            }
            if let error = delivery.error, deliveryFailure == nil { deliveryFailure = error }
        }
        if let deliveryFailure { throw undeliverable(deliveryFailure) }
    }

    /// Says that records of a partition's changelog are lost that were acknowledged.
    func reportLostEnd(of partition: Int32, count: Int64) {
        metrics.changelogRecordsLost.increment(by: count)
        frame.logger.error(
            "The changelog has lost its end: records that were acknowledged are not there any more.",
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

    /// Stores the input offsets that the acknowledgements allow.
    func releaseOffsets() {
        guard let clients else { return }
        for case let task? in tasks {
            task.ledger.release { progress in
                // A partition that was revoked meanwhile belongs to another process.
                clients.consumer.storeOffset(
                    input: progress.input, partition: progress.partition,
                    KafkaCommit(offset: progress.next, metadata: ChangelogEnd.metadata(task.changelogEnd)))
            }
        }
    }
}

extension KafkaProducer.Record {
    /// Bytes of key and value.
    fileprivate var byteCount: Int { key.count + (value?.count ?? 0) }
}
