import LocationWorker
import Processing
import SpoofDetection

/// A partition of the location stage in memory, which can be stopped anywhere and goes on with what it wrote.
struct LocationPartition {
    var settings = TrackingSettings()

    /// Everything that a run writes, by output topic.
    func run(_ raw: RecordedTopic, restartingAfter restart: Int? = nil) -> [RecordedTopic] {
        let layout = LocationProcessor.layout(settings: settings)
        var topics = Array(repeating: RecordedTopic(), count: layout.outputs.count)
        var runner = InMemoryRunner(layout: layout, stage: LocationProcessor(partition: 0, settings: settings))
        runner.finishRestore()
        for offset in raw.records.indices {
            if offset == restart {
                runner = restored(from: topics)
                runner.takeOutputs { topics[$0.topic].append($0) }
            }
            raw.with(offset, input: 0) { record, _ in runner.process(record) }
            runner.takeOutputs { topics[$0.topic].append($0) }
        }
        return topics
    }

    /// Goes on from what was written, which may end in the middle of a record, over the whole input once more.
    func goOn(_ raw: RecordedTopic, from written: [RecordedTopic]) -> [RecordedTopic] {
        var topics = written
        var runner = restored(from: topics)
        runner.takeOutputs { topics[$0.topic].append($0) }
        for offset in raw.records.indices where Int64(offset) >= runner.positions[0] {
            raw.with(offset, input: 0) { record, _ in runner.process(record) }
            runner.takeOutputs { topics[$0.topic].append($0) }
        }
        return topics
    }

    /// A stage that has only what was written to go on with.
    private func restored(from topics: [RecordedTopic]) -> InMemoryRunner {
        let stage = LocationProcessor(partition: 0, settings: settings)
        var runner = InMemoryRunner(layout: LocationProcessor.layout(settings: settings), stage: stage)
        for output in 1..<topics.count {
            for offset in topics[output].records.indices {
                topics[output].with(offset, input: output) { record, _ in runner.restoreSideOutput(record) }
            }
        }
        let changelog = topics[0]
        let newest = changelog.records.map(\.timestamp.milliseconds).max() ?? 0
        let memory = LocationProcessor.layout(settings: settings).memoryMilliseconds
        for offset in changelog.records.indices
        where changelog.records[offset].timestamp.milliseconds >= newest - memory {
            changelog.with(offset, input: 0) { record, header in runner.restore(record, clockHeader: header) }
        }
        runner.finishRestore()
        return runner
    }
}
