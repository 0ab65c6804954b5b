import Domain
import Processors
import Processing
import Support
import Testing

@Suite("Batches with unreadable fixes")
struct UnreadableBatchTests {
    private static let time = Timestamp(milliseconds: 1_770_000_000_000)
    private static let good =
        #"{"type":"location","payload":{"latitude":48.1,"longitude":11.5,"timestamp":1770000000000}}"#
    private static let bad =
        #"{"type":"location","payload":{"latitude":148.1,"longitude":11.5,"timestamp":1770000000000}}"#

    private func batch(_ fixes: [String], padding: Int = 0) -> RecordedTopic {
        let filler = String(repeating: "x", count: padding)
        let list = fixes.joined(separator: ",")
        let value = #"{"type":"location_batch","note":""# + filler + #"","locations":["# + list + "]}"
        var raw = RecordedTopic()
        raw.records.append(.init(key: Array("drv_1".utf8), value: Array(value.utf8), timestamp: Self.time))
        return raw
    }

    /// Returns the number of bytes of all output of a partition.
    private func outputBytes(_ raw: RecordedTopic) -> Int {
        let settings = TrackingSettings()
        var runner = InMemoryRunner(
            layout: LocationProcessor.layout(settings: settings),
            processor: LocationProcessor(partition: 0, settings: settings))
        var bytes = 0
        for offset in raw.records.indices {
            raw.with(offset, input: 0) { record, _ in runner.process(record) }
            runner.drainOutputs { output in
                bytes += output.key.count + (output.value?.count ?? 0)
                for header in output.headers { bytes += header.value.count }
            }
        }
        return bytes
    }

    @Test("a batch of 1 MB with 500 unreadable fixes becomes one dead letter and up to 16 KiB of other output")
    func oneDeadLetter() {
        let raw = batch(Array(repeating: Self.bad, count: 500), padding: 1_000_000)
        let size = raw.records[0].value?.count ?? 0
        #expect(size > 1_000_000 && size <= 1 << 20)
        #expect(outputBytes(raw) <= size + 16_384)
        let topics = LocationPartition().run(raw)
        #expect(topics[0].records.isEmpty)
        #expect(topics[1].records.count == 1)
        #expect(topics[1].records.first?.value == raw.records[0].value)
        #expect(topics[1].records.first?.event == EventID(partition: 0, offset: 0))
    }

    @Test("a readable fix among unreadable fixes gets a verdict with its index in the event id")
    func goodAmongBad() {
        let raw = batch([Self.bad, Self.good, Self.bad])
        let topics = LocationPartition().run(raw)
        #expect(topics[0].records.map(\.event) == [EventID(partition: 0, offset: 0).withFix(1)])
        #expect(topics[1].records.map(\.event) == [EventID(partition: 0, offset: 0)])
    }

    @Test("a restart between two verdicts of a batch repeats neither the dead letter nor a verdict")
    func restart() {
        var raw = RecordedTopic()
        for fixes in [[Self.bad, Self.good, Self.bad, Self.good], [Self.bad], [Self.good, Self.bad], [Self.good]] {
            raw.records += batch(fixes).records
        }
        let settings = TrackingSettings()
        let partition = LocationPartition(settings: settings)
        let undisturbed = partition.run(raw)
        #expect(undisturbed[1].records.count == 3)
        for count in 0...undisturbed[0].records.count {
            // The dead letters of a record are acknowledged before its first verdict is written.
            var written = undisturbed
            written[0].records = Array(undisturbed[0].records.prefix(count))
            let last = written[0].records.last?.event?.offset ?? -1
            for extra in 0...1 {
                written[1].records = undisturbed[1].records.filter { ($0.event?.offset ?? 0) <= last + Int64(extra) }
                let actual = partition.resume(raw, from: written)
                #expect(
                    actual.map(\.records) == undisturbed.map(\.records), "\(count) verdicts written, \(extra) ahead")
            }
        }
    }
}
