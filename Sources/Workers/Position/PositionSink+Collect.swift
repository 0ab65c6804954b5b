import Domain
import Processing

extension PositionSink {
    func collect(
        _ batch: PartitionBatch, into report: inout SinkReport, watermark: inout Watermark, generation: UInt32
    ) {
        let isVerdict = batch.partition.topic == PipelineTopic.locations.rawValue
        for record in batch.records {
            let isNew =
                isVerdict
                ? collectVerdict(record, &watermark, generation) : collectUpdate(record, &watermark, generation)
            switch isNew {
            case true?: break
            case false?: report.repeated += 1
            case nil: report.unreadable += 1
            }
        }
    }

    /// - Returns: `false` if the event was written before, `nil` if the record is unreadable.
    private func collectVerdict(_ record: InputRecord, _ watermark: inout Watermark, _ generation: UInt32) -> Bool? {
        guard let value = record.value, let verdict = verdicts.read(value), DriverBatch.isKey(verdict.driverID) else {
            return nil
        }
        let event = record.event ?? verdict.eventID
        guard watermark.advance(to: event) else { return false }
        // Verdicts without an estimate do not move the driver, but may change the driver's risk.
        if let estimate = verdict.estimate {
            drivers.add(verdict, estimate, event: event, generation: generation)
        } else {
            drivers.addRisk(verdict, event: event, generation: generation)
        }
        return true
    }

    /// - Returns: `false` if the event was written before, `nil` if the record is unreadable.
    private func collectUpdate(_ record: InputRecord, _ watermark: inout Watermark, _ generation: UInt32) -> Bool? {
        guard let value = record.value, let envelope = envelopes.read(value), TripBatch.isKey(envelope.channel),
            let event = record.event ?? envelope.event
        else { return nil }
        guard watermark.advance(to: event) else { return false }
        trips.add(envelope, of: record, event: event, generation: generation)
        return true
    }
}
