import Lanes
import Stages
import TestSupport
import Testing
import Tracking

@testable import Wire

@Suite("Location stage")
struct LocationStageTests {
    private let settings = TrackingSettings()

    /// Everything that a run writes, by output topic.
    private func run(_ raw: RecordedTopic, restartingAfter restart: Int? = nil) -> [RecordedTopic] {
        let layout = LocationStage.layout(settings: settings)
        var topics = Array(repeating: RecordedTopic(), count: layout.outputs.count)
        var runner = StageRunner(layout: layout, stage: LocationStage(lane: 0, settings: settings))
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

    /// A stage that has only what was written to go on with.
    private func restored(from topics: [RecordedTopic]) -> StageRunner {
        let stage = LocationStage(lane: 0, settings: settings)
        var runner = StageRunner(layout: LocationStage.layout(settings: settings), stage: stage)
        for offset in topics[3].records.indices {
            topics[3].with(offset, input: 3) { record, _ in stage.restore(record) }
        }
        let journal = topics[0]
        let newest = journal.records.map(\.timestamp.milliseconds).max() ?? 0
        for offset in journal.records.indices
        where journal.records[offset].timestamp.milliseconds >= newest - 300_000 {
            journal.with(offset, input: 0) { record, header in runner.restore(record, clockHeader: header) }
        }
        runner.finishRestore()
        return runner
    }

    @Test("a restart at any record changes no byte of what is written", arguments: [UInt64(11), 12])
    func restartChangesNothing(seed: UInt64) {
        let traffic = SimulatedTraffic(drivers: 12, seconds: 400, seed: seed)
        let undisturbed = run(traffic.raw)
        #expect(undisturbed[0].records.count > 2000)
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<12 {
            let restart = Int.random(in: 1..<traffic.raw.records.count, using: &generator)
            let disturbed = run(traffic.raw, restartingAfter: restart)
            #expect(disturbed.map(\.texts) == undisturbed.map(\.texts), "seed \(seed), restart at \(restart)")
            #expect(disturbed[0].records.map(\.state) == undisturbed[0].records.map(\.state))
        }
    }

    @Test("every fix gets one verdict, and records read again get none")
    func oneVerdictPerFix() {
        let traffic = SimulatedTraffic(drivers: 20, seconds: 200, seed: 3)
        let fixes = traffic.raw.records.reduce(0) { sum, record in
            let reader = RawRecordReader()
            return sum
                + record.key.withUnsafeBytes { key in
                    (record.value ?? []).withUnsafeBytes { value in
                        _ = reader.read(key: ByteSlice(key), value: ByteSlice(value))
                        return reader.fixes.count
                    }
                }
        }
        let layout = LocationStage.layout(settings: settings)
        var runner = StageRunner(layout: layout, stage: LocationStage(lane: 0, settings: settings))
        var ids: [EventID] = []
        for offset in [Array(traffic.raw.records.indices), Array(traffic.raw.records.indices.suffix(50))].joined() {
            traffic.raw.with(offset, input: 0) { record, _ in runner.process(record) }
            runner.takeOutputs { if $0.topic == 0 { ids.append($0.clock) } }
        }
        #expect(ids.count == fixes)
        #expect(Set(ids).count == ids.count)
    }

    @Test("an unreadable record becomes a dead letter with its reason, and the lane goes on")
    func unreadableRecord() throws {
        let time = Timestamp(milliseconds: 1_770_000_000_000)
        let good = #"{"type":"location","payload":{"latitude":48.1,"longitude":11.5,"timestamp":1770000000000}}"#
        var raw = RecordedTopic()
        for value in ["{", good, #"{"type":"location","payload":{"latitude":148.1,"longitude":11.5,"timestamp":1}}"#] {
            raw.records.append(.init(key: Array("drv_1".utf8), value: Array(value.utf8), timestamp: time))
        }
        let topics = run(raw)
        #expect(topics[0].records.count == 1)
        #expect(topics[1].texts.count == 2)
        #expect(topics[1].texts.first == "{")
        #expect(topics[0].records.first?.clock == EventID(lane: 0, offset: 1))
    }
}
