import BroadcastWorker
import Processing
import RiderUpdates

/// A partition of the broadcast stage in memory.
struct BroadcastPartition {
    var etas: RecordedTopic
    var settings = BroadcastSettings()

    /// Goes on from what a process that died has written, up to the input record numbered `end`, as a worker does:
    /// reads the last of that back, then the input again from as long before the last update.
    func goOn(from before: RecordedTopic, until end: Int? = nil) -> RecordedTopic {
        var written = before
        let layout = BroadcastProcessor.layout(memorySeconds: EtaPartition.memorySeconds)
        var runner = InMemoryRunner(
            layout: layout,
            stage: BroadcastProcessor(partition: 0, settings: settings, memorySeconds: EtaPartition.memorySeconds))
        let newest = written.records.map(\.timestamp).max()
        func isRemembered(_ record: RecordedTopic.Record) -> Bool {
            newest.map { $0.milliseconds - record.timestamp.milliseconds <= layout.memoryMilliseconds } ?? true
        }
        for offset in written.records.indices where isRemembered(written.records[offset]) {
            written.with(offset, input: 0) { record, header in runner.restore(record, clockHeader: header) }
        }
        runner.finishRestore()
        let position = Int(runner.positions[0])
        let first = etas.records.firstIndex(where: isRemembered) ?? position
        for offset in min(first, position)..<max(min(first, position), end ?? etas.records.count) {
            etas.with(offset, input: 0) { record, _ in runner.process(record) }
            runner.takeOutputs { written.append($0) }
        }
        return written
    }
}
