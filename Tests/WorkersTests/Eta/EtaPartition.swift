import ArrivalTimes
import EtaWorker
import LocationWorker
import Processing
import SpoofDetection
import Support

/// A partition of the eta stage in memory: what goes into it in the order of time, and what it writes.
struct EtaPartition {
    /// One record of either input.
    struct Step {
        var input: Int
        var offset: Int
        var at: Timestamp
    }

    /// What the stage wrote, over all its topics in the order in which it was written.
    struct Written {
        var changelog = RecordedTopic()
        var paces = RecordedTopic()
        /// For every record written, whether it is one of the changelog.
        var order: [Bool] = []

        mutating func append(_ output: InMemoryRunner.Output) {
            switch output.topic {
            case 0: changelog.append(output)
            case 2: paces.append(output)
            default: return
            }
            order.append(output.topic == 0)
        }

        /// What is there when the process dies after `count` records.
        func prefix(_ count: Int) -> Written {
            var part = Written()
            part.order = Array(order.prefix(count))
            let changelogCount = part.order.count { $0 }
            part.changelog.records = Array(changelog.records.prefix(changelogCount))
            part.paces.records = Array(paces.records.prefix(part.order.count - changelogCount))
            return part
        }
    }

    static let memorySeconds = 300.0

    var verdicts = RecordedTopic()
    var trips = RecordedTopic()
    var steps: [Step] = []
    var arrival = ArrivalSettings()

    init(raw: RecordedTopic, trips: RecordedTopic, isRateLimited: Bool = false) {
        var settings = TrackingSettings()
        settings.rate.isLimited = isRateLimited
        var runner = InMemoryRunner(
            layout: LocationProcessor.layout(settings: settings),
            stage: LocationProcessor(partition: 0, settings: settings))
        for offset in raw.records.indices {
            raw.with(offset, input: 0) { record, _ in runner.process(record) }
            runner.takeOutputs { if $0.topic == 0 { verdicts.append($0) } }
        }
        self.trips = trips
        steps =
            verdicts.records.enumerated().map { Step(input: 0, offset: $0, at: $1.timestamp) }
            + trips.records.enumerated().map { Step(input: 1, offset: $0, at: $1.timestamp) }
        steps.sort { ($0.at, $1.input) < ($1.at, $0.input) }
    }

    func makeRunner() -> InMemoryRunner {
        InMemoryRunner(
            layout: EtaProcessor.layout(memorySeconds: Self.memorySeconds),
            stage: EtaProcessor(partition: 0, arrival: arrival, memorySeconds: Self.memorySeconds))
    }

    func process(_ step: Step, _ runner: inout InMemoryRunner) {
        let topic = step.input == 0 ? verdicts : trips
        topic.with(step.offset, input: step.input) { record, _ in runner.process(record) }
    }

    /// Everything that a partition writes which never stops.
    func run() -> Written {
        var written = Written()
        var runner = makeRunner()
        runner.finishRestore()
        for step in steps {
            process(step, &runner)
            runner.takeOutputs { written.append($0) }
        }
        return written
    }

    /// Goes on from what a process that died has written, up to the step numbered `end`, as a worker does: reads that
    /// back, then the input again from its memory's time before the last changelog record.
    func goOn(from before: Written, until end: Int? = nil) -> Written {
        var written = before
        var runner = restored(from: &written)
        let newest = written.changelog.records.map(\.timestamp).max()
        let positions = runner.positions
        for step in steps[..<(end ?? steps.count)] {
            let isAgain = Int64(step.offset) < positions[step.input]
            let isRewound = step.input == 0 && newest.map { $0.seconds(since: step.at) <= Self.memorySeconds } ?? true
            guard !isAgain || isRewound else { continue }
            process(step, &runner)
            runner.takeOutputs { written.append($0) }
        }
        return written
    }

    private func restored(from written: inout Written) -> InMemoryRunner {
        var runner = makeRunner()
        for offset in written.paces.records.indices {
            written.paces.with(offset, input: 2) { record, _ in runner.restoreSideOutput(record) }
        }
        let newest = written.changelog.records.map(\.timestamp.milliseconds).max() ?? 0
        for offset in written.changelog.records.indices
        where written.changelog.records[offset].timestamp.milliseconds >= newest - Int64(Self.memorySeconds * 1000) {
            written.changelog.with(offset, input: 0) { record, header in runner.restore(record, clockHeader: header) }
        }
        runner.finishRestore()
        let position = Int(runner.positions[1])
        for offset in trips.records.indices where offset < position {
            trips.with(offset, input: 1) { record, _ in runner.recall(record) }
        }
        runner.takeOutputs { written.append($0) }
        return runner
    }
}
