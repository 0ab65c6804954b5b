import Lanes
import Stages
import TestSupport
import Testing
import Tracking

@Suite("Eta and broadcast stages")
struct EtaStageTests {
    private static let memorySeconds = EtaLane.memorySeconds

    private func lane(drivers: Int, seconds: Double, seed: UInt64) -> EtaLane {
        let traffic = SimulatedTraffic(drivers: drivers, seconds: seconds, seed: seed)
        return EtaLane(raw: traffic.raw, trips: traffic.trips)
    }

    @Test("a restart at any record changes no arrival time, flag or state", arguments: [UInt64(21), 22])
    func restartChangesNothing(seed: UInt64) {
        let lane = lane(drivers: 10, seconds: 500, seed: seed)
        let undisturbed = lane.run()
        #expect(undisturbed.journal.records.count > 1000)
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<10 {
            let death = Int.random(in: 1..<undisturbed.order.count, using: &generator)
            let disturbed = lane.goOn(from: undisturbed.prefix(death))
            let difference = zip(disturbed.journal.texts, undisturbed.journal.texts).first { $0 != $1 }
            #expect(difference == nil, "seed \(seed), died after \(death)")
            #expect(disturbed.journal.records.count == undisturbed.journal.records.count, "seed \(seed), \(death)")
        }
    }

    @Test("riders are told the same after a restart at any record", arguments: [UInt64(31)])
    func ridersNoticeNothing(seed: UInt64) {
        let etas = lane(drivers: 10, seconds: 400, seed: seed).run().journal
        let undisturbed = broadcast(etas)
        #expect(undisturbed.records.count > 500)
        #expect(undisturbed.records.allSatisfy { !($0.value ?? []).isEmpty })
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<10 {
            let restart = Int.random(in: 1..<etas.records.count, using: &generator)
            #expect(
                broadcast(etas, restartingAfter: restart).texts == undisturbed.texts,
                "seed \(seed), restart at \(restart)")
        }
    }

    private func broadcast(_ etas: RecordedTopic, restartingAfter restart: Int? = nil) -> RecordedTopic {
        func make() -> StageRunner {
            StageRunner(
                layout: BroadcastStage.layout(memorySeconds: Self.memorySeconds),
                stage: BroadcastStage(lane: 0, settings: BroadcastSettings(), memorySeconds: Self.memorySeconds))
        }
        var journal = RecordedTopic()
        var runner = make()
        runner.finishRestore()
        for offset in etas.records.indices {
            if offset == restart {
                runner = make()
                for written in journal.records.indices {
                    journal.with(written, input: 0) { record, header in runner.restore(record, clockHeader: header) }
                }
                runner.finishRestore()
                for again in 0..<offset
                where etas.records[offset].timestamp.seconds(since: etas.records[again].timestamp) <= Self.memorySeconds
                {
                    etas.with(again, input: 0) { record, _ in runner.process(record) }
                }
            }
            etas.with(offset, input: 0) { record, _ in runner.process(record) }
            runner.takeOutputs { journal.append($0) }
        }
        return journal
    }
}
