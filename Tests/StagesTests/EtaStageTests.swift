import Lanes
import Stages
import TestSupport
import Testing
import Tracking

@Suite("Eta and broadcast stages")
struct EtaStageTests {
    private static let memorySeconds = 300.0

    /// One record of either input, in the order of their times.
    private struct Step {
        var input: Int
        var offset: Int
        var at: Timestamp
    }

    private struct Inputs {
        var verdicts = RecordedTopic()
        var trips = RecordedTopic()
        var steps: [Step] = []
    }

    private func inputs(_ traffic: SimulatedTraffic) -> Inputs {
        var inputs = Inputs()
        let settings = TrackingSettings()
        var runner = StageRunner(
            layout: LocationStage.layout(settings: settings), stage: LocationStage(lane: 0, settings: settings))
        for offset in traffic.raw.records.indices {
            traffic.raw.with(offset, input: 0) { record, _ in runner.process(record) }
            runner.takeOutputs { if $0.topic == 0 { inputs.verdicts.append($0) } }
        }
        inputs.trips = traffic.trips
        inputs.steps =
            inputs.verdicts.records.enumerated().map { Step(input: 0, offset: $0, at: $1.timestamp) }
            + inputs.trips.records.enumerated().map { Step(input: 1, offset: $0, at: $1.timestamp) }
        inputs.steps.sort { ($0.at, $1.input) < ($1.at, $0.input) }
        return inputs
    }

    private func makeRunner() -> StageRunner {
        StageRunner(
            layout: EtaStage.layout(memorySeconds: Self.memorySeconds),
            stage: EtaStage(lane: 0, arrival: ArrivalSettings(), memorySeconds: Self.memorySeconds))
    }

    private func process(_ step: Step, _ inputs: Inputs, _ runner: inout StageRunner) {
        let topic = step.input == 0 ? inputs.verdicts : inputs.trips
        topic.with(step.offset, input: step.input) { record, _ in runner.process(record) }
    }

    private func run(_ inputs: Inputs, restartingAfter restart: Int? = nil) -> RecordedTopic {
        var journal = RecordedTopic()
        var runner = makeRunner()
        runner.finishRestore()
        for (number, step) in inputs.steps.enumerated() {
            if number == restart {
                runner = restored(from: journal, inputs)
                // Rewound: the last minutes of verdicts come again, those answered and those not.
                for again in inputs.steps[..<number] where again.input == 0 && isRecent(again, step) {
                    process(again, inputs, &runner)
                }
                // Trip messages not answered by the last journal record come again, too.
                for again in inputs.steps[..<number]
                where again.input == 1 && Int64(again.offset) >= runner.positions[1] {
                    process(again, inputs, &runner)
                }
            }
            process(step, inputs, &runner)
            runner.takeOutputs { if $0.topic == 0 { journal.append($0) } }
        }
        return journal
    }

    private func isRecent(_ step: Step, _ now: Step) -> Bool {
        now.at.seconds(since: step.at) <= Self.memorySeconds
    }

    private func restored(from journal: RecordedTopic, _ inputs: Inputs) -> StageRunner {
        var runner = makeRunner()
        let newest = journal.records.map(\.timestamp.milliseconds).max() ?? 0
        for offset in journal.records.indices
        where journal.records[offset].timestamp.milliseconds >= newest - Int64(Self.memorySeconds * 1000) {
            journal.with(offset, input: 0) { record, header in runner.restore(record, clockHeader: header) }
        }
        runner.finishRestore()
        let position = Int(runner.positions[1])
        for offset in inputs.trips.records.indices where offset < position {
            inputs.trips.with(offset, input: 1) { record, _ in runner.recall(record) }
        }
        return runner
    }

    @Test("a restart at any record changes no arrival time, flag or state", arguments: [UInt64(21), 22])
    func restartChangesNothing(seed: UInt64) {
        let inputs = inputs(SimulatedTraffic(drivers: 10, seconds: 500, seed: seed))
        let undisturbed = run(inputs)
        #expect(undisturbed.records.count > 1000)
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<10 {
            let restart = Int.random(in: 1..<inputs.steps.count, using: &generator)
            let disturbed = run(inputs, restartingAfter: restart)
            let difference = zip(disturbed.texts, undisturbed.texts).first { $0 != $1 }
            #expect(difference == nil, "seed \(seed), restart at \(restart)")
            #expect(disturbed.records.count == undisturbed.records.count, "seed \(seed), restart at \(restart)")
        }
    }

    @Test("riders are told the same after a restart at any record", arguments: [UInt64(31)])
    func ridersNoticeNothing(seed: UInt64) {
        let etas = run(inputs(SimulatedTraffic(drivers: 10, seconds: 400, seed: seed)))
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
