import Domain
import Processors
import Processing

/// In-memory partition of location-worker that can stop anywhere, and resumes from its output.
struct LocationPartition {
    var settings = TrackingSettings()

    /// Returns the output by topic, with a restart after `restart` records.
    func run(_ raw: RecordedTopic, restartingAfter restart: Int? = nil) -> [RecordedTopic] {
        let layout = LocationProcessor.layout(settings: settings)
        var topics = Array(repeating: RecordedTopic(), count: layout.outputs.count)
        var runner = InMemoryRunner(layout: layout, processor: LocationProcessor(partition: 0, settings: settings))
        runner.finishRestore()
        for offset in raw.records.indices {
            if offset == restart {
                runner = restored(from: topics)
                runner.drainOutputs { topics[$0.topic].append($0) }
            }
            raw.with(offset, input: 0) { record, _ in runner.process(record) }
            runner.drainOutputs { topics[$0.topic].append($0) }
        }
        return topics
    }

    /// Continues the output `written`, which may end within the outputs of one record, from its input position.
    func resume(_ raw: RecordedTopic, from written: [RecordedTopic]) -> [RecordedTopic] {
        var topics = written
        var runner = restored(from: topics)
        runner.drainOutputs { topics[$0.topic].append($0) }
        for offset in raw.records.indices where Int64(offset) >= runner.positions[0] {
            raw.with(offset, input: 0) { record, _ in runner.process(record) }
            runner.drainOutputs { topics[$0.topic].append($0) }
        }
        return topics
    }

    /// Restores a processor from its output.
    func restored(from topics: [RecordedTopic], partition: Int32 = 0) -> InMemoryRunner {
        let layout = LocationProcessor.layout(settings: settings)
        var runner = InMemoryRunner(
            layout: layout, partition: partition,
            processor: LocationProcessor(partition: partition, settings: settings))
        for output in 1..<topics.count {
            for offset in topics[output].records.indices {
                topics[output].with(offset, input: output, partition: partition) { record, _ in
                    runner.restoreSideOutput(record)
                }
            }
        }
        let changelog = topics[0]
        let newest = changelog.records.map(\.timestamp.milliseconds).max() ?? 0
        for offset in changelog.records.indices
        where changelog.records[offset].timestamp.milliseconds >= newest - layout.memoryMilliseconds {
            changelog.with(offset, input: 0, partition: partition) { record, header in
                runner.restore(record, watermarkHeader: header)
            }
        }
        runner.finishRestore()
        return runner
    }

    /// Returns the verdicts of raw records.
    static func verdicts(_ raw: RecordedTopic, isRateLimited: Bool = false) -> RecordedTopic {
        var partition = LocationPartition()
        partition.settings.rate.isLimited = isRateLimited
        return partition.run(raw)[0]
    }
}
