import Domain
import Processors
import TestSupport
import Testing

@Suite("The same log gives the same records with any number of workers and any schedule")
struct ReplayScheduleTests {
    private let settings = TrackingSettings()

    /// Returns raw records of simulated drivers, some of whom spoof, by partition.
    private func partitions(_ count: Int, drivers: Int, seconds: Double, seed: UInt64) -> [RecordedTopic] {
        (0..<count).map {
            SimulatedTraffic(drivers: drivers, seconds: seconds, seed: seed + UInt64($0), cheaterShare: 0.4).raw
        }
    }

    /// Returns the output of one worker that processes single records and never stops.
    private func undisturbed(_ raw: [RecordedTopic]) -> [[RecordedTopic]] {
        let schedule = LocationCluster.Schedule(workers: 1, largestBatch: 1, stop: 0, pause: 0, move: 0)
        var cluster = LocationCluster(raw, settings, schedule, seed: 0)
        cluster.run()
        return cluster.written
    }

    private func expectSame(_ cluster: LocationCluster, _ expected: [[RecordedTopic]], _ context: String) {
        for partition in expected.indices {
            let read = cluster.read(partition: partition)
            for output in expected[partition].indices {
                var expectedRecords = expected[partition][output].records
                var actualRecords = read[output].records
                // If a restore repeats a track chunk, its watermark header has a different position.
                if output == 3 {
                    for index in expectedRecords.indices { expectedRecords[index].watermarkHeader = [] }
                    for index in actualRecords.indices { actualRecords[index].watermarkHeader = [] }
                }
                let different = zip(expectedRecords, actualRecords).enumerated().first { $1.0 != $1.1 }?.offset
                #expect(
                    different == nil && expectedRecords.count == actualRecords.count,
                    "\(context), partition \(partition), output \(output), record \(different ?? min(expectedRecords.count, actualRecords.count))"
                )
            }
        }
    }

    @Test(
        "locations: batch size, stops, moved partitions and number of workers change no record",
        arguments: [1, 4], [UInt64(101), 102])
    func locations(workers: Int, seed: UInt64) {
        let raw = partitions(3, drivers: 6, seconds: 150, seed: seed)
        let expected = undisturbed(raw)
        #expect(expected.allSatisfy { $0[0].records.count > 200 })
        for (round, largestBatch) in [1, 7, 60, 400].enumerated() {
            // A few stops per run, independent of the number of steps.
            let likelihood = min(0.3, 0.01 * Double(largestBatch))
            let schedule = LocationCluster.Schedule(
                workers: workers, largestBatch: largestBatch, stop: likelihood, move: likelihood)
            var cluster = LocationCluster(raw, settings, schedule, seed: seed * 100 + UInt64(round))
            cluster.run()
            #expect(cluster.stops > 0)
            let context = "seed \(seed), round \(round), \(workers) workers"
            expectSame(cluster, expected, context)
            // A stopped worker writes nothing more, so the topics have no duplicates.
            for partition in expected.indices {
                for output in expected[partition].indices {
                    let written = cluster.written[partition][output].records.count
                    #expect(
                        written == expected[partition][output].records.count,
                        "\(context), partition \(partition), output \(output)")
                }
            }
        }
    }

    @Test(
        "locations: late records of paused workers equal earlier records, and are dropped", arguments: [UInt64(201)])
    func pausedWorkers(seed: UInt64) {
        let raw = partitions(3, drivers: 6, seconds: 150, seed: seed)
        let expected = undisturbed(raw)
        var repeated = 0
        for round in UInt64(0)..<4 {
            let schedule = LocationCluster.Schedule(workers: 4, largestBatch: 50, stop: 0.05, pause: 0.15, move: 0.1)
            var cluster = LocationCluster(raw, settings, schedule, seed: seed * 100 + round)
            cluster.run()
            expectSame(cluster, expected, "seed \(seed), round \(round)")
            for partition in expected.indices {
                var known: [EventID: RecordedTopic.Record] = [:]
                for record in cluster.written[partition][0].records {
                    guard let event = record.event else { continue }
                    if let before = known[event] {
                        repeated += 1
                        #expect(before == record, "seed \(seed), round \(round), event \(event)")
                    }
                    known[event] = record
                }
            }
        }
        #expect(repeated > 0, "seed \(seed)")
    }

    @Test("locations: a restart at any record of a small log changes no record")
    func everyBoundary() {
        let raw = SimulatedTraffic(drivers: 3, seconds: 60, seed: 7, cheaterShare: 0.5).raw
        let partition = LocationPartition()
        let expected = partition.run(raw)
        #expect(expected[0].records.count > 60)
        for restart in raw.records.indices {
            let actual = partition.run(raw, restartingAfter: restart)
            #expect(actual.map(\.records) == expected.map(\.records), "restart at \(restart)")
        }
    }

    @Test("arrival times: stops change no record of a small and of a larger log", arguments: [UInt64(301)])
    func etas(seed: UInt64) {
        func partition(_ drivers: Int, _ seconds: Double) -> EtaPartition {
            let traffic = SimulatedTraffic(drivers: drivers, seconds: seconds, seed: seed)
            return EtaPartition(raw: traffic.raw, trips: traffic.trips)
        }
        let small = partition(3, 60)
        let uninterrupted = small.run()
        #expect(uninterrupted.order.count > 40)
        for stop in 1..<uninterrupted.order.count {
            let actual = small.resume(from: uninterrupted.prefix(stop))
            #expect(actual.changelog.records == uninterrupted.changelog.records, "seed \(seed), stopped after \(stop)")
        }
        let large = partition(6, 240)
        let expected = large.run()
        var random = SeededGenerator(seed: seed)
        for round in 0..<4 {
            var written = EtaPartition.Written()
            for _ in 0..<Int.random(in: 2...5, using: &random) {
                let end = Int.random(in: 0...large.steps.count, using: &random)
                let further = large.resume(from: written, until: end)
                guard further.order.count > written.order.count else { continue }
                written = further.prefix(
                    Int.random(in: written.order.count...further.order.count, using: &random))
            }
            written = large.resume(from: written)
            let same = written.changelog.records == expected.changelog.records
            #expect(same, "seed \(seed), round \(round)")
        }
    }

    @Test("rider updates: stops change no record of a small and of a larger log", arguments: [UInt64(401)])
    func riderUpdates(seed: UInt64) {
        func partition(_ drivers: Int, _ seconds: Double) -> BroadcastPartition {
            let traffic = SimulatedTraffic(drivers: drivers, seconds: seconds, seed: seed)
            return BroadcastPartition(etas: EtaPartition(raw: traffic.raw, trips: traffic.trips).run().changelog)
        }
        let small = partition(3, 90)
        let uninterrupted = small.resume(from: RecordedTopic())
        #expect(uninterrupted.records.count > 60)
        for stop in 1..<uninterrupted.records.count {
            var written = uninterrupted
            written.records.removeSubrange(stop...)
            let same = small.resume(from: written).records == uninterrupted.records
            #expect(same, "seed \(seed), stopped after \(stop)")
        }
        let large = partition(6, 300)
        let expected = large.resume(from: RecordedTopic())
        var random = SeededGenerator(seed: seed)
        for round in 0..<6 {
            var written = RecordedTopic()
            for _ in 0..<Int.random(in: 2...5, using: &random) {
                let further = large.resume(
                    from: written, until: Int.random(in: 0...large.etas.records.count, using: &random))
                guard further.records.count > written.records.count else { continue }
                let count = Int.random(in: written.records.count...further.records.count, using: &random)
                written.records = Array(further.records.prefix(count))
            }
            let same = large.resume(from: written).records == expected.records
            #expect(same, "seed \(seed), round \(round)")
        }
    }
}
