import Model
import Processing

extension PositionSink {
    /// Takes in the records of one partition, dropping those that do not advance its event clock.
    func collect(_ batch: PartitionBatch, into report: inout SinkReport, clock: inout Watermark, epoch: UInt32) {
        if batch.partition.topic == PipelineTopic.locations.rawValue {
            for record in batch.records { collectPosition(record, clock: &clock, epoch: epoch, into: &report) }
        } else {
            for record in batch.records { collectUpdate(record, clock: &clock, epoch: epoch, into: &report) }
        }
    }

    private func collectPosition(
        _ record: InputRecord, clock: inout Watermark, epoch: UInt32, into report: inout SinkReport
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
        // Only a judged position moves the driver, whether or not it was throttled; the other verdicts may still change
        // its standing.
        guard let estimate = verdict.estimate else {
            drivers.addRisk(verdict, event: event, epoch: epoch)
            return
        }
        drivers.add(verdict, estimate, event: event, epoch: epoch)
    }

    private func collectUpdate(
        _ record: InputRecord, clock: inout Watermark, epoch: UInt32, into report: inout SinkReport
    ) {
        guard let value = record.value, let envelope = envelopes.read(value), TripBatch.canKeep(envelope.channel),
            let event = record.clock ?? envelope.event
        else {
            report.unreadable += 1
            return
        }
        guard clock.advance(to: event) else {
            report.repeated += 1
            return
        }
        trips.add(envelope, of: record, event: event, epoch: epoch)
    }
}
