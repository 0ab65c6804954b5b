import Domain

/// Comparison of Postgres with what a single worker writes without faults.
struct HistoryComparison {
    /// Longest time that the worker needs, in nanoseconds.
    private static let limit = Int64.seconds(300)

    private let pipeline: SimulatedPipeline

    /// - Parameter pipeline: a pipeline whose workers have processed everything.
    init(_ pipeline: SimulatedPipeline) { self.pipeline = pipeline }

    /// Returns the differences, or nothing.
    func run() -> [String] {
        let actual = pipeline.world.postgres
        let duplicates = actual.duplicates().prefix(3).map { "Postgres has more than one row for \($0)." }
        let reference = World(seed: pipeline.world.seed, trace: Trace(prints: false))
        return duplicates
            + reference.run {
                reference.log.copyTopics(of: pipeline.world.log)
                let worker = try? SimulatedWorker(
                    .history, number: 1, environment: pipeline.environment, reference)
                guard reference.run(until: Self.limit, { Self.hasCaughtUp(reference) }) else {
                    return ["history-worker does not catch up without faults."]
                }
                worker?.kill()
                reference.run(until: reference.now + .seconds(60)) { reference.processes.allSatisfy(\.hasEnded) }
                return Self.differences(actual.contents, reference.postgres.contents)
            }
    }

    /// Returns whether history-worker has written everything that its topics have.
    static func hasCaughtUp(_ world: World) -> Bool {
        let topics: [PipelineTopic] = [.locations, .warnings, .tripEtas, .tripWarnings]
        return topics.allSatisfy { topic in
            world.log.partitions(of: topic.rawValue).allSatisfy { partition in
                let next = world.postgres.nextOffset(topic: topic.rawValue, partition: partition.name.partition) ?? 0
                return next >= (partition.records.last.map { $0.offset + 1 } ?? 0)
            }
        }
    }

    /// Returns up to three differing rows of each table.
    private static func differences(
        _ actual: [(table: String, rows: [String])], _ expected: [(table: String, rows: [String])]
    ) -> [String] {
        zip(actual, expected).flatMap { actual, expected -> [String] in
            let missing = expected.rows.filter { !actual.rows.contains($0) }.map { "is missing: \($0)" }
            let unexpected = actual.rows.filter { !expected.rows.contains($0) }.map { "is unexpected: \($0)" }
            return (missing.prefix(3) + unexpected.prefix(3)).map { "A row of \(actual.table) \($0)" }
        }
    }
}
