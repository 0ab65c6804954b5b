import Kafka
import Lanes
import Logging

extension StageLoop {
    /// Queues all outputs at hand and forgets them.
    ///
    /// What precedes the journal is acknowledged before the first journal record is queued: the journal says how far
    /// the stage has come, and a process that dies in between must not have said so too early.
    /// - Returns: an open ticket, under which the journal's outputs were queued.
    func produceOutputs(_ clients: StageClients) throws -> Int {
        let precedes = plan.layout.outputs.indices.map { $0 > 0 && plan.layout.outputs[$0].precedesJournal }
        if let first = firstPreceding(precedes) {
            let ticket = ledger.pointee.open()
            for index in first..<outputs.pointee.count
            where isToBeSent(index) && precedes[outputs.pointee.batch.outputs[index].topic] {
                try send(index, ticket, clients)
            }
            ledger.pointee.close(ticket)
            while !ledger.pointee.isSettled(ticket) {
                clients.producer.hurry()
                try serveDeliveries(waitMilliseconds: 5)
                if !ledger.pointee.isSettled(ticket) { try checkInterruption() }
            }
        }
        let ticket = ledger.pointee.open()
        var repeated = 0
        for index in 0..<outputs.pointee.count {
            if outputs.pointee.marks[index].isRepeated {
                repeated += 1
            } else if !precedes[outputs.pointee.batch.outputs[index].topic] {
                try send(index, ticket, clients)
            }
        }
        countOutputs(repeated: repeated)
        outputs.pointee.removeAll()
        return ticket
    }

    private func isToBeSent(_ index: Int) -> Bool { !outputs.pointee.marks[index].isRepeated }

    private func firstPreceding(_ precedes: [Bool]) -> Int? {
        guard precedes.contains(true) else { return nil }
        return (0..<outputs.pointee.count).first { precedes[outputs.pointee.batch.outputs[$0].topic] && isToBeSent($0) }
    }

    private func countOutputs(repeated: Int) {
        if repeated > 0 { metrics.outputsRepeated.increment(by: repeated) }
        var counts = [Int](repeating: 0, count: outputNames.count)
        for index in 0..<outputs.pointee.count where isToBeSent(index) {
            counts[outputs.pointee.batch.outputs[index].topic] += 1
        }
        for (topic, count) in counts.enumerated() where count > 0 { metrics.recordsOut[topic].increment(by: count) }
    }

    /// Queues one output; while there is no room, waits for acknowledgements.
    private func send(_ index: Int, _ ticket: Int, _ clients: StageClients) throws {
        let output = outputs.pointee.batch.outputs[index]
        var headers = makeHeaders(for: output, clients.batch)
        for header in output.headers {
            let entry = outputs.pointee.batch.headers[header]
            headers.add(entry.name, outputs.pointee.batch.bytes.slice(entry.value))
        }
        headers.add(RecordHeader.clock, outputs.pointee.clockHeader(at: index))
        let record = KafkaProducer.Record(
            key: outputs.pointee.batch.bytes.slice(output.key),
            value: output.value.map { outputs.pointee.batch.bytes.slice($0) },
            timestamp: output.timestamp)
        while true {
            let answer = clients.producer.produce(
                record, to: clients.topics[output.topic], partition: outputs.pointee.marks[index].lane,
                headers: &headers,
                ticket: ticket)
            switch answer {
            case .queued: return ledger.pointee.expect(ticket)
            case .queueFull:
                try serveDeliveries(waitMilliseconds: 20)
                try checkInterruption()
            case .refused(let error): throw undeliverable(error)
            }
        }
    }

    private func makeHeaders(for output: OutputBatch.Output, _ batch: KafkaBatch) -> KafkaHeaders {
        let count = output.headers.count + 1
        guard output.copiesInputHeaders, let message = sourceMessage(output.source, batch) else {
            return KafkaHeaders(capacity: count)
        }
        return KafkaHeaders(copying: message, capacity: count)
    }

    /// Takes in acknowledgements.
    /// - Throws: ``WorkerError`` when a record will never be delivered.
    func serveDeliveries(waitMilliseconds: Int) throws {
        guard let clients else { return }
        try clients.producer.poll(waitMilliseconds: waitMilliseconds) { ticket, error in
            ledger.pointee.acknowledge(ticket)
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
        ledger.pointee.release { progress in
            // A lane that has gone meanwhile is somebody else's.
            clients.consumer.storeOffset(input: progress.input, lane: progress.lane, next: progress.next)
        }
    }
}
