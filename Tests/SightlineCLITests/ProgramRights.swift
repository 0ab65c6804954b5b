@testable import Processors
@testable import Domain
@testable import HistoryWorker
@testable import PositionWorker
@testable import Processing
@testable import PushWorker
@testable import Runtime
@testable import SightlineCLI

/// The rights that the Kafka user of a program needs.
struct ProgramRights {
    /// The program or other service that uses the topics.
    var program: String
    /// Topics with Read, which includes Describe.
    var reads: [PipelineTopic] = []
    /// Topics with Write, which includes Describe.
    var writes: [PipelineTopic] = []
    /// Topics with Create, Describe and DescribeConfigs; DescribeConfigs is then also needed on the cluster.
    var creates: [PipelineTopic] = []
    /// Groups with Describe and Delete; Delete is then also needed on ``creates``.
    var deletes: [String] = []
    /// Groups with Read, which includes Describe.
    var joins: [String] = []
    /// Groups with Describe.
    var describes: [String] = []

    /// The rights of all programs, with topics and groups without a prefix.
    static var all: [ProgramRights] {
        let memory = TrackingSettings().memorySeconds
        return [
            ProgramRights(
                program: "`driver-gateway`", reads: [.warnings, .trips], writes: [.rawLocations, .trips],
                describes: [readerGroup(Program.driverGateway.rawValue)]),
            ProgramRights(program: "a drivers' gateway of your own", writes: [.rawLocations]),
            ProgramRights(program: "your trip service", writes: [.trips]),
            worker(LocationProcessor.layout(settings: TrackingSettings())),
            worker(EtaProcessor.layout(memorySeconds: memory)),
            worker(BroadcastProcessor.layout(memorySeconds: memory)),
            worker(PositionSink.self),
            worker(HistorySink.self),
            worker(PushSink.self, writes: [.tripsDeadLetter]),
            ProgramRights(
                program: "`rider-gateway`", reads: [.riderUpdates],
                describes: [readerGroup(Program.riderGateway.rawValue)]),
            ProgramRights(
                program: "a riders' gateway of your own", reads: [.riderUpdates], joins: ["its own, if it uses one"]),
            ProgramRights(
                program: "`sightline topics create` (`list`: Describe alone)", creates: PipelineTopic.allCases),
            ProgramRights(
                program: "`sightline topics recreate`", creates: PipelineTopic.allCases,
                deletes: (CatchUp.layouts(TrackingSettings()).map(\.name) + [
                    PositionSink.name, HistorySink.name, PushSink.name,
                ])
                .map(group)),
            audit("`sightline audit`"),
            audit("`sightline demo`", writes: [.rawLocations, .trips]),
            ProgramRights(program: "`sightline simulate`, `replay`", writes: [.rawLocations, .trips]),
            ProgramRights(
                program: "`sightline tail`, for each topic that it shows", reads: PipelineTopic.allCases,
                describes: [readerGroup("sightline")]),
            ProgramRights(
                program: "`sightline dead-letters`", reads: DeadLettersCommand.topics,
                describes: [readerGroup("sightline")]),
        ]
    }

    /// Returns the rights of a processor's worker, which also reads its outputs to restore the state.
    private static func worker(_ layout: ProcessorLayout) -> ProgramRights {
        let program = "\(layout.name)-worker"
        let outputs = topics(layout.outputs.map(\.topic))
        return ProgramRights(
            program: "`\(program)`", reads: topics(layout.inputs.map(\.topic)) + outputs, writes: outputs,
            joins: [group(layout.name)], describes: [readerGroup(program)])
    }

    private static func worker(_ sink: any Sink.Type, writes: [PipelineTopic] = []) -> ProgramRights {
        ProgramRights(
            program: "`\(sink.name)-worker`", reads: topics(sink.topics), writes: writes, joins: [group(sink.name)])
    }

    /// Returns the rights of an audit, plus Write on topics.
    private static func audit(_ program: String, writes: [PipelineTopic] = []) -> ProgramRights {
        ProgramRights(
            program: program, reads: AuditSession.topics.sorted { $0.index < $1.index }, writes: writes,
            describes: CatchUp.layouts(TrackingSettings()).map { group($0.name) } + [readerGroup("sightline")])
    }

    private static func topics(_ names: [String]) -> [PipelineTopic] {
        names.compactMap { PipelineTopic(rawValue: $0) }
    }

    private static func group(_ name: String) -> String { TopicNames().group(name) }

    /// Returns the group id that a client's readers use without joining the group.
    private static func readerGroup(_ clientID: String) -> String { "\(clientID)-reader" }
}

extension ProgramRights {
    /// The table of `docs/security.md`.
    static var markdown: String {
        var lines = [
            "| principal | Read on topics | Write on topics | on groups and the cluster |", "|---|---|---|---|",
        ]
        for rights in all { lines.append(rights.row) }
        return lines.joined(separator: "\n") + "\n"
    }

    private var row: String {
        var reading = Self.list(reads)
        if !creates.isEmpty { reading = "Describe and DescribeConfigs on all" }
        var writing = Self.list(writes)
        if !creates.isEmpty { writing = deletes.isEmpty ? "Create on all" : "Create and Delete on all" }
        var groups = [("Read", joins), ("Describe", describes), ("Describe and Delete", deletes)].filter {
            !$0.1.isEmpty
        }
        .map { operation, names in
            "\(operation) " + names.map { $0.contains(" ") ? $0 : "`\($0)`" }.joined(separator: ", ")
        }
        if !creates.isEmpty { groups.append("DescribeConfigs on the cluster") }
        return "| \(program) | \(reading) | \(writing) | \(groups.joined(separator: "; ")) |"
    }

    private static func list(_ topics: [PipelineTopic]) -> String {
        topics.count == PipelineTopic.allCases.count ? "any" : topics.map { "`\($0.rawValue)`" }.joined(separator: ", ")
    }
}

extension PipelineTopic {
    fileprivate var index: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}
