import Codec
import Domain
import Processors
import TestSupport
import Testing

@Suite("Eta and broadcast processors")
struct EtaProcessorTests {
    private static let memorySeconds = EtaPartition.memorySeconds

    private func partition(drivers: Int, seconds: Double, seed: UInt64, cheaterShare: Double = 0.2) -> EtaPartition {
        let traffic = SimulatedTraffic(drivers: drivers, seconds: seconds, seed: seed, cheaterShare: cheaterShare)
        return EtaPartition(raw: traffic.raw, trips: traffic.trips)
    }

    @Test("a restart at any record changes no arrival record", arguments: [UInt64(21), 22])
    func restartChangesNothing(seed: UInt64) {
        let partition = partition(drivers: 10, seconds: 500, seed: seed)
        let undisturbed = partition.run()
        #expect(undisturbed.changelog.records.count > 1000)
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<10 {
            let stop = Int.random(in: 1..<undisturbed.order.count, using: &generator)
            let disturbed = partition.resume(from: undisturbed.prefix(stop))
            let difference = zip(disturbed.changelog.texts, undisturbed.changelog.texts).first { $0 != $1 }
            #expect(difference == nil, "seed \(seed), stopped after \(stop)")
            #expect(disturbed.changelog.records.count == undisturbed.changelog.records.count, "seed \(seed), \(stop)")
        }
    }

    @Test("a restart at any record changes no rider update", arguments: [UInt64(31)])
    func restartChangesNoUpdate(seed: UInt64) {
        let partition = BroadcastPartition(etas: partition(drivers: 10, seconds: 400, seed: seed).run().changelog)
        let undisturbed = partition.resume(from: RecordedTopic())
        #expect(undisturbed.records.count > 500)
        #expect(undisturbed.records.allSatisfy { !($0.value ?? []).isEmpty })
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<10 {
            let restart = Int.random(in: 1..<partition.etas.records.count, using: &generator)
            let disturbed = partition.resume(from: partition.resume(from: RecordedTopic(), until: restart))
            #expect(disturbed.texts == undisturbed.texts, "seed \(seed), restart at \(restart)")
        }
    }

    @Test(
        "a restart changes no rider update, even if a trip had no update for longer than `memorySeconds`",
        arguments: [UInt64(42)])
    func restartAfterQuietTrips(seed: UInt64) {
        // Updates of flagged drivers are withheld for longer than `memorySeconds`, and continue afterwards.
        let partition = BroadcastPartition(
            etas: partition(drivers: 40, seconds: 1500, seed: seed, cheaterShare: 0.8).run().changelog)
        let undisturbed = partition.resume(from: RecordedTopic())
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<4 {
            let restart = Int.random(
                in: partition.etas.records.count / 2..<partition.etas.records.count, using: &generator)
            let disturbed = partition.resume(from: partition.resume(from: RecordedTopic(), until: restart))
            #expect(disturbed.records.count == undisturbed.records.count, "seed \(seed), restart at \(restart)")
            let difference = zip(disturbed.records, undisturbed.records).first { $0 != $1 }
            #expect(difference == nil, "seed \(seed), restart at \(restart)")
        }
    }

    @Test("no ETA record follows a fix without an estimate or of a flagged driver")
    func unusableFixes() {
        let partition = partition(drivers: 10, seconds: 500, seed: 22)
        let reader = VerdictReader()
        var shown: Set<EventID> = []
        var hidden = 0
        for offset in partition.verdicts.records.indices {
            partition.verdicts.with(offset, input: 0) { record, _ in
                guard let verdict = record.value.flatMap(reader.read) else { return }
                let isTrusted = verdict.estimate != nil && !verdict.reasons.contains(.flagged)
                if isTrusted { shown.insert(verdict.eventID) } else { hidden += 1 }
            }
        }
        #expect(hidden > 50)
        let fixes = partition.run().changelog.records.compactMap(\.event).filter {
            $0.origin == .raw && $0.punctuation == 0
        }
        #expect(fixes.count > 500)
        #expect(fixes.allSatisfy { shown.contains($0.withMessage(0)) })
    }
}
