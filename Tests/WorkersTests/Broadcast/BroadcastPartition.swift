import Processors
import Domain
import Processing

/// In-memory partition of broadcast-worker.
struct BroadcastPartition {
    var etas: RecordedTopic
    var settings = BroadcastSettings()

    /// Continues the output `before` in a restarted partition, and stops before input record `end`.
    func resume(from before: RecordedTopic, until end: Int? = nil) -> RecordedTopic {
        var written = before
        let layout = BroadcastProcessor.layout(memorySeconds: EtaPartition.memorySeconds)
        var runner = InMemoryRunner(
            layout: layout,
            processor: BroadcastProcessor(partition: 0, settings: settings, memorySeconds: EtaPartition.memorySeconds))
        let newest = written.records.map(\.timestamp).max()
        func isRemembered(_ record: RecordedTopic.Record) -> Bool {
            newest.map { $0.milliseconds - record.timestamp.milliseconds <= layout.memoryMilliseconds } ?? true
        }
        for offset in written.records.indices where isRemembered(written.records[offset]) {
            written.with(offset, input: 0) { record, header in runner.restore(record, watermarkHeader: header) }
        }
        runner.finishRestore()
        let position = Int(runner.positions[0])
        let first = etas.records.firstIndex(where: isRemembered) ?? position
        for offset in min(first, position)..<max(min(first, position), end ?? etas.records.count) {
            etas.with(offset, input: 0) { record, _ in runner.process(record) }
            runner.drainOutputs { written.append($0) }
        }
        return written
    }
}
