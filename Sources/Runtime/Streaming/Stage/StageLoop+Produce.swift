import Bytes
import Kafka
import Pipeline
import Logging

extension StageLoop {
    /// Queues all outputs at hand and forgets them.
    ///
    /// What precedes the changelog is acknowledged before the first changelog record is queued: the changelog says how
    /// far the stage has come, and a process that dies in between must not have said so too early.
    /// - Returns: an open ticket, under which the last of the changelog's outputs were queued.
    func produceOutputs(_ clients: StageClients) throws -> Int {
        try checkPartitions()
        let ahead = plan.layout.outputs.indices.map { $0 > 0 && plan.layout.outputs[$0].delivery == .beforeChangelog }
        if let first = firstToBeSent(ahead) {
            let ticket = ledger.open()
            for index in first..<outputs.count where isToBeSent(index) && ahead[topic(of: index)] {
                try send(index, ticket, clients)
            }
            ledger.close(ticket)
            try wait { ledger.isSettled(ticket) }
        }
        let phases = checkpointPhases()
        var ticket = ledger.open()
        for phase in 0...(phases.max() ?? 0) {
            if phase > 0 {
                // Everything so far, earlier batches included, on either side of a checkpoint.
                ledger.close(ticket)
                try wait { ledger.outstanding == 0 }
                ticket = ledger.open()
            }
            for index in 0..<outputs.count
            where isToBeSent(index) && !ahead[topic(of: index)] && (phases.isEmpty || phases[index] == phase) {
                try send(index, ticket, clients)
            }
            if phase % 2 == 1 { try wait { ledger.outstanding == 0 } }
        }
        countOutputs()
        outputs.removeAll()
        return ticket
    }

    /// Which outputs may be under way together, by output; empty when there is no checkpoint.
    ///
    /// Checkpoints have odd numbers, and the changelog records between them even ones.
    /// Partitions count for themselves, so that their checkpoints share the waits.
    private func checkpointPhases() -> [Int] {
        let isCheckpoint = plan.layout.outputs.map { $0.delivery == .checkpoint }
        guard let first = firstToBeSent(isCheckpoint) else { return [] }
        var phases = Array(repeating: 0, count: outputs.count)
        var current: [Int32: Int] = [:]
        for index in first..<outputs.count {
            let partition = outputs.marks[index].partition
            let phase = current[partition] ?? 0
            phases[index] = (phase % 2 == 1) == isCheckpoint[topic(of: index)] ? phase : phase + 1
            current[partition] = phases[index]
        }
        return phases
    }

    /// Takes in acknowledgements until `isDone`.
    private func wait(until isDone: () -> Bool) throws {
        while !isDone() {
            clients?.producer.hurry()
            try serveDeliveries(waitMilliseconds: 5)
            if isDone() { return }
            try checkInterruption()
            try checkPartitions()
        }
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

    /// Queues one output; while there is no room, waits for acknowledgements.
    private func send(_ index: Int, _ ticket: Int, _ clients: StageClients) throws {
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
        while true {
            let answer = clients.producer.produce(
                record, to: clients.topics[output.topic], partition: outputs.marks[index].partition,
                headers: &headers,
                ticket: ticket)
            switch answer {
            case .queued: return ledger.expect(ticket)
            case .queueFull:
                try serveDeliveries(waitMilliseconds: 20)
                try checkInterruption()
                try checkPartitions()
            case .refused(let error): throw undeliverable(error)
            }
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
        return KafkaHeaders(copying: message, capacity: count)
    }

    /// Takes in acknowledgements.
    /// - Throws: ``WorkerError`` when a record will never be delivered.
    func serveDeliveries(waitMilliseconds: Int) throws {
        guard let clients else { return }
        try clients.producer.poll(waitMilliseconds: waitMilliseconds) { ticket, error in
            ledger.acknowledge(ticket)
            if let error, deliveryFailure == nil { deliveryFailure = error }
        }
        if let deliveryFailure { throw undeliverable(deliveryFailure) }
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
        ledger.release { progress in
            // A partition that was revoked meanwhile belongs to another process.
            clients.consumer.storeOffset(input: progress.input, partition: progress.partition, next: progress.next)
        }
    }
}
