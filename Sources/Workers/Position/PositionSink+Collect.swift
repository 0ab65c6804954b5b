import Domain
import Processing

extension PositionSink {
    /// Collects the records of one partition that advance its watermark.
    func collect(
        _ batch: PartitionBatch, into report: inout SinkReport, watermark: inout Watermark, generation: UInt32
    ) {
        let isVerdict = batch.partition.topic == PipelineTopic.locations.rawValue
        for record in batch.records {
            if isVerdict {
                collectVerdict(record, &watermark, generation, into: &report)
            } else {
                collectUpdate(record, &watermark, generation, into: &report)
            }
        }
    }

    private func collectVerdict(
        _ record: InputRecord, _ watermark: inout Watermark, _ generation: UInt32, into report: inout SinkReport
    ) {
        guard let value = record.value, let verdict = verdicts.read(value), DriverBatch.isKey(verdict.driverID) else {
            report.unreadable += 1
            return
        }
        let event = record.event ?? verdict.eventID
        guard watermark.advance(to: event) else {
            report.repeated += 1
            return
        }
        // Verdicts without an estimate do not move the driver, but may change the driver's risk.
        guard let estimate = verdict.estimate else {
            drivers.addRisk(verdict, event: event, generation: generation)
            return
        }
        drivers.add(verdict, estimate, event: event, generation: generation)
    }

    private func collectUpdate(
        _ record: InputRecord, _ watermark: inout Watermark, _ generation: UInt32, into report: inout SinkReport
    ) {
        guard let value = record.value, let envelope = envelopes.read(value), TripBatch.isKey(envelope.channel),
            let event = record.event ?? envelope.event
        else {
            report.unreadable += 1
            return
        }
        guard watermark.advance(to: event) else {
            report.repeated += 1
            return
        }
        trips.add(envelope, of: record, event: event, generation: generation)
    }
}
