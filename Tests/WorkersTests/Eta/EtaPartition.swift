import Domain
import Processors
import Processing
import Support

/// In-memory partition of eta-worker with its inputs, ordered by time.
struct EtaPartition {
    /// One record of either input.
    struct Step {
        var input: Int
        var offset: Int
        var at: Timestamp
    }

    /// Written changelog and learned road speeds.
    struct Written {
        var changelog = RecordedTopic()
        var roadSpeeds = RecordedTopic()
        /// Whether each record, in the order of writing, belongs to the changelog.
        var order: [Bool] = []

        mutating func append(_ output: InMemoryRunner.Output) {
            switch output.topic {
            case 0: changelog.append(output)
            case 2: roadSpeeds.append(output)
            default: return
            }
            order.append(output.topic == 0)
        }

        /// Returns the output of a process that stops after writing `count` records.
        func prefix(_ count: Int) -> Written {
            var part = Written()
            part.order = Array(order.prefix(count))
            let changelogCount = part.order.count { $0 }
            part.changelog.records = Array(changelog.records.prefix(changelogCount))
            part.roadSpeeds.records = Array(roadSpeeds.records.prefix(part.order.count - changelogCount))
            return part
        }
    }

    static let memorySeconds = 300.0

    var verdicts = RecordedTopic()
    var trips = RecordedTopic()
    var steps: [Step] = []
    var arrival = ArrivalSettings()

    init(raw: RecordedTopic, trips: RecordedTopic, isRateLimited: Bool = false) {
        verdicts = LocationPartition.verdicts(raw, isRateLimited: isRateLimited)
        self.trips = trips
        steps =
            verdicts.records.enumerated().map { Step(input: 0, offset: $0, at: $1.timestamp) }
            + trips.records.enumerated().map { Step(input: 1, offset: $0, at: $1.timestamp) }
        steps.sort { ($0.at, $1.input) < ($1.at, $0.input) }
    }

    func makeRunner() -> InMemoryRunner {
        InMemoryRunner(
            layout: EtaProcessor.layout(memorySeconds: Self.memorySeconds),
            processor: EtaProcessor(partition: 0, arrival: arrival, memorySeconds: Self.memorySeconds))
    }

    func process(_ step: Step, _ runner: inout InMemoryRunner) {
        let topic = step.input == 0 ? verdicts : trips
        topic.with(step.offset, input: step.input) { record, _ in runner.process(record) }
    }

    /// Returns the output of an uninterrupted run.
    func run() -> Written {
        var written = Written()
        var runner = makeRunner()
        runner.finishRestore()
        for step in steps {
            process(step, &runner)
            runner.drainOutputs { written.append($0) }
        }
        return written
    }

    /// Continues the output `before` in a restarted partition, and stops before step `end`; rewinds only the locations.
    func resume(from before: Written, until end: Int? = nil) -> Written {
        var written = before
        var runner = restored(from: &written)
        let newest = written.changelog.records.map(\.timestamp).max()
        let positions = runner.positions
        for step in steps[..<(end ?? steps.count)] {
            let isProcessed = Int64(step.offset) < positions[step.input]
            let isRewound = step.input == 0 && newest.map { $0.seconds(since: step.at) <= Self.memorySeconds } ?? true
            guard !isProcessed || isRewound else { continue }
            process(step, &runner)
            runner.drainOutputs { written.append($0) }
        }
        return written
    }

    private func restored(from written: inout Written) -> InMemoryRunner {
        var runner = makeRunner()
        for offset in written.roadSpeeds.records.indices {
            written.roadSpeeds.with(offset, input: 2) { record, _ in runner.restoreSideOutput(record) }
        }
        let newest = written.changelog.records.map(\.timestamp.milliseconds).max() ?? 0
        for offset in written.changelog.records.indices
        where written.changelog.records[offset].timestamp.milliseconds >= newest - Int64(Self.memorySeconds * 1000) {
            written.changelog.with(offset, input: 0) { record, header in runner.restore(record, watermarkHeader: header)
            }
        }
        runner.finishRestore()
        let position = Int(runner.positions[1])
        for offset in trips.records.indices where offset < position {
            trips.with(offset, input: 1) { record, _ in runner.replay(record) }
        }
        runner.drainOutputs { written.append($0) }
        return runner
    }
}
