import TestSupport
import Testing

@testable import Codec
@testable import Domain
@testable import Processors
@testable import Processing
@testable import Support

@Suite("Location processor")
struct LocationProcessorTests {
    private let settings = TrackingSettings()
    private let partition = LocationPartition()

    @Test("a restart at any record changes no byte of the output", arguments: [UInt64(11), 12])
    func restartChangesNothing(seed: UInt64) {
        let traffic = SimulatedTraffic(drivers: 12, seconds: 400, seed: seed)
        let undisturbed = partition.run(traffic.raw)
        #expect(undisturbed[0].records.count > 2000)
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<12 {
            let restart = Int.random(in: 1..<traffic.raw.records.count, using: &generator)
            let disturbed = partition.run(traffic.raw, restartingAfter: restart)
            #expect(disturbed.map(\.texts) == undisturbed.map(\.texts), "seed \(seed), restart at \(restart)")
            #expect(disturbed[0].records.map(\.state) == undisturbed[0].records.map(\.state))
        }
    }

    @Test("a restart during interference changes no byte of the output", arguments: [UInt64(21), 22])
    func restartInDisturbance(seed: UInt64) {
        let traffic = DisturbedTraffic(drivers: 15, seconds: 700, seed: seed)
        var partition = partition
        // For the ten drivers with interference, this share needs four anomalies, one more than the minimum.
        partition.settings.disturbance.share = 0.35
        let undisturbed = partition.run(traffic.raw)
        let codes = undisturbed[2].texts.joined()
        #expect(codes.contains("GNSS_DISTURBANCE") && codes.contains("TELEPORTATION"), "seed \(seed)")
        let cleared = undisturbed[0].texts.filter { $0.contains(#""accepted","reasons":["GNSS_DISTURBANCE"]"#) }
        #expect(!cleared.isEmpty, "seed \(seed)")
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<12 {
            let restart = Int.random(in: traffic.raw.records.count / 2..<traffic.raw.records.count, using: &generator)
            let disturbed = partition.run(traffic.raw, restartingAfter: restart)
            #expect(disturbed.map(\.texts) == undisturbed.map(\.texts), "seed \(seed), restart at \(restart)")
            #expect(disturbed[0].records.map(\.state) == undisturbed[0].records.map(\.state))
        }
    }

    @Test("every fix gets one verdict, and records that are read again get no verdict")
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
        let layout = LocationProcessor.layout(settings: settings)
        var runner = InMemoryRunner(layout: layout, processor: LocationProcessor(partition: 0, settings: settings))
        var ids: [EventID] = []
        for offset in [Array(traffic.raw.records.indices), Array(traffic.raw.records.indices.suffix(50))].joined() {
            traffic.raw.with(offset, input: 0) { record, _ in runner.process(record) }
            runner.drainOutputs { if $0.topic == 0 { ids.append($0.event) } }
        }
        #expect(ids.count == fixes)
        #expect(Set(ids).count == ids.count)
    }

    @Test("an unreadable record becomes a dead letter, and the partition continues")
    func unreadableRecord() throws {
        let time = Timestamp(milliseconds: 1_770_000_000_000)
        let good = #"{"type":"location","payload":{"latitude":48.1,"longitude":11.5,"timestamp":1770000000000}}"#
        var raw = RecordedTopic()
        for value in ["{", good, #"{"type":"location","payload":{"latitude":148.1,"longitude":11.5,"timestamp":1}}"#] {
            raw.records.append(.init(key: Array("drv_1".utf8), value: Array(value.utf8), timestamp: time))
        }
        let topics = partition.run(raw)
        #expect(topics[0].records.count == 1)
        #expect(topics[1].texts.count == 2)
        #expect(topics[1].texts.first == "{")
        #expect(topics[0].records.first?.event == EventID(partition: 0, offset: 1))
    }
}
