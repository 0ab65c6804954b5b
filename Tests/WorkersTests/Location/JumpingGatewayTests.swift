import TestSupport
import Testing

@testable import Domain
@testable import Processors
@testable import Processing

@Suite("A gateway whose clock jumps")
struct JumpingGatewayTests {
    /// Clock errors of minutes, hours or days, in seconds.
    private static let sizes: [ClosedRange<Double>] = [60...300, 3600...40_000, 86_400...500_000]

    /// Simulated drivers of one gateway, mixed with parked drivers of a second gateway, whose clock may jump.
    private struct Traffic {
        /// Records if all clocks are correct.
        var correct = RecordedTopic()
        /// Records if the clock of the second gateway jumps.
        var jumping = RecordedTopic()
        var trips: RecordedTopic
        /// Number of records of the second gateway with a wrong timestamp.
        var wrong = 0

        init(seed: UInt64, sizes: [ClosedRange<Double>], _ device: SkewedTraffic.Device, seconds: Double = 420) {
            let simulated = SimulatedTraffic(drivers: 10, seconds: seconds, seed: seed, cheaterShare: 0.4)
            trips = simulated.trips
            var random = SeededGenerator(seed: seed)
            var offset = 0.0
            var until = SimulatedTraffic.start
            for (index, record) in simulated.raw.records.enumerated() {
                correct.records.append(record)
                jumping.records.append(record)
                guard index % 4 == 3 else { continue }
                if record.timestamp >= until {
                    until = record.timestamp.advanced(bySeconds: Double.random(in: 1...30, using: &random))
                    offset = Double.random(in: sizes.randomElement(using: &random) ?? 60...300, using: &random)
                    offset *= [-1.0, 0, 1].randomElement(using: &random) ?? 0
                }
                let number = index / 4
                let driver = "\(SkewedTraffic.prefix)\(number % 5)"
                correct.records.append(
                    SkewedTraffic.record(driver, at: record.timestamp, number: number / 5, device: device))
                jumping.records.append(
                    SkewedTraffic.record(
                        driver, at: record.timestamp, number: number / 5, skew: offset, device: device))
                if offset != 0 { wrong += 1 }
            }
        }
    }

    private let partition = LocationPartition()

    /// Returns the number of records whose timestamp the stream time did not follow.
    private func corrected(_ raw: RecordedTopic) -> Int {
        let settings = TrackingSettings()
        let processor = LocationProcessor(partition: 0, settings: settings)
        var runner = InMemoryRunner(layout: LocationProcessor.layout(settings: settings), processor: processor)
        runner.finishRestore()
        for offset in raw.records.indices {
            raw.with(offset, input: 0) { record, _ in runner.process(record) }
            runner.drainOutputs { _ in }
        }
        return processor.counts[LocationProcessor.receiptSlot]
    }

    @Test(
        "with correct device times, at most two drivers get different verdicts, and no byte changes for the other drivers",
        arguments: [UInt64(61), 62, 63, 64])
    func devices(seed: UInt64) {
        let traffic = Traffic(seed: seed, sizes: Self.sizes, .correct)
        #expect(traffic.wrong > 50, "seed \(seed)")
        let expected = partition.run(traffic.correct)
        let actual = partition.run(traffic.jumping)
        // First fixes are evaluated at a wrong time if a timestamp ahead seems to end a silence of the partition.
        var affected: Set<[UInt8]> = []
        for (record, expectedRecord) in zip(actual[0].records, expected[0].records)
        where record.value != expectedRecord.value {
            if affected.count < 2 { affected.insert(record.key) }
        }
        for output in expected.indices {
            let actualRecords = actual[output].records.filter { !affected.contains($0.key) }
            let expectedRecords = expected[output].records.filter { !affected.contains($0.key) }
            let different = zip(actualRecords, expectedRecords).enumerated().first {
                ($1.0.key, $1.0.value, $1.0.timestamp) != ($1.1.key, $1.1.value, $1.1.timestamp)
            }
            #expect(
                different == nil && actualRecords.count == expectedRecords.count,
                "seed \(seed), output \(output), record \(different?.offset ?? -1)")
        }
        #expect(actual[0].records.map(\.timestamp) == expected[0].records.map(\.timestamp), "seed \(seed)")
        // A fix seems too old if the timestamp of its record is days ahead.
        #expect(actual[0].texts.count { $0.contains("CLOCK_SKEW") } <= 5, "seed \(seed)")
        #expect(corrected(traffic.jumping) == traffic.wrong, "seed \(seed)")
        #expect(corrected(traffic.correct) == 0, "seed \(seed)")
    }

    @Test("a jumping clock changes no record of trip.etas", arguments: [UInt64(65), 66])
    func trips(seed: UInt64) {
        let traffic = Traffic(seed: seed, sizes: Self.sizes, .correct, seconds: 240)
        func etas(_ raw: RecordedTopic) -> [String] {
            EtaPartition(raw: raw, trips: traffic.trips).run().changelog.texts
        }
        let expected = etas(traffic.correct)
        #expect(expected.count > 40, "seed \(seed)")
        #expect(etas(traffic.jumping) == expected, "seed \(seed)")
    }

    @Test(
        "without device times, jumps of hours and days change no byte for drivers of other gateways",
        arguments: [UInt64(67), 68])
    func noDevices(seed: UInt64) {
        let traffic = Traffic(seed: seed, sizes: Array(Self.sizes.dropFirst()), .absent)
        let expected = partition.run(traffic.correct)
        let actual = partition.run(traffic.jumping)
        for output in expected.indices {
            let (actualRecords, expectedRecords) = (
                actual[output].ofSimulatedDrivers.records, expected[output].ofSimulatedDrivers.records
            )
            let isSame =
                actualRecords.count == expectedRecords.count
                && zip(actualRecords, expectedRecords).allSatisfy { $0.isSame(as: $1) }
            #expect(isSame, "seed \(seed), output \(output)")
        }
        let other = actual[0].ofOtherProducer.texts
        #expect(other.count == expected[0].ofOtherProducer.texts.count, "seed \(seed)")
        #expect(other.contains { $0.contains("CLOCK_SKEW") }, "seed \(seed)")
    }

    @Test("a restart at any record changes no byte", arguments: [UInt64(69), 70])
    func restart(seed: UInt64) {
        let traffic = Traffic(seed: seed, sizes: Self.sizes, .correct, seconds: 200)
        let expected = partition.run(traffic.jumping)
        var random = SeededGenerator(seed: seed)
        for _ in 0..<20 {
            let restart = Int.random(in: 1..<traffic.jumping.records.count, using: &random)
            let actual = partition.run(traffic.jumping, restartingAfter: restart)
            #expect(actual.map(\.records) == expected.map(\.records), "seed \(seed), restart at \(restart)")
        }
    }
}
