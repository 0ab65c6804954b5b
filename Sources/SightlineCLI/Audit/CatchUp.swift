import Kafka
import Lanes
import Sinks
import Stages

/// Waits until every worker has read its input to the end, and says up to where the topics are settled.
///
/// Belongs to one thread.
struct CatchUp {
    /// Somebody who has not read their input to the end.
    struct Laggard: Equatable {
        var worker: String
        var topic: String
        var lane: Int32
        var records: Int64
    }

    private let access: PipelineAccess
    private let lanes: [Int32]
    /// The stages from the raw topic on, each with a reader of its group's offsets.
    private let stages: [(layout: StageLayout, reader: KafkaReader)]
    private let reader: KafkaReader
    private let sinks: SinkProgress

    /// Connects to the broker; `lanes` and `sinks` are who is waited for.
    init(_ access: PipelineAccess, lanes: [Int32], sinks: SinkProgress) throws {
        self.access = access
        self.lanes = lanes
        self.sinks = sinks
        let memory = access.settings.tracking.memorySeconds
        let layouts = [
            LocationStage.layout(settings: access.settings.tracking), EtaStage.layout(memorySeconds: memory),
            BroadcastStage.layout(memorySeconds: memory),
        ]
        stages = try layouts.map {
            ($0, try KafkaReader(access.kafka, group: access.group(of: $0.name), log: PipelineAccess.log))
        }
        reader = try KafkaReader(access.kafka, log: PipelineAccess.log)
    }

    /// Waits for at most so long.
    /// - Returns: the offset of each topic and lane up to which everything has been answered and stored, and who has
    ///   not come so far.
    func wait(
        seconds: Double, _ stop: StopSignal, show: (String) -> Void
    ) throws -> (settled: [SinkLane: Int64], laggards: [Laggard]) {
        let began = ContinuousClock.now
        while true {
            let found = try look()
            if found.laggards.isEmpty || ReplayPlan.seconds(began.duration(to: .now)) >= seconds {
                sinks.disconnect()
                return found
            }
            let records = found.laggards.reduce(0) { $0 + $1.records }
            let workers = Set(found.laggards.map(\.worker)).sorted().joined(separator: ", ")
            show("waiting for \(workers): \(records) records")
            stop.wait(milliseconds: 250)
            try stop.check()
        }
    }

    /// The end of each lane of `topics`.
    ///
    /// Read, as listed ends may lie too low.
    func ends(of topics: [PipelineTopic]) throws -> [SinkLane: Int64] {
        var starts: [KafkaLane: KafkaReader.Start] = [:]
        for topic in topics {
            for lane in lanes { starts[KafkaLane(topic: access.name(of: topic), partition: lane)] = .position(.end) }
        }
        let found = try reader.readToEnd(starts) { _, _, _ in }
        var ends: [SinkLane: Int64] = [:]
        for topic in topics {
            let name = access.name(of: topic)
            for lane in lanes {
                ends[SinkLane(topic: topic.rawValue, lane: lane)] = found[KafkaLane(topic: name, partition: lane)]
            }
        }
        return ends
    }

    /// Stage by stage from the raw topic on: what a stage has answered is on its topics before those are looked at.
    private func look() throws -> (settled: [SinkLane: Int64], laggards: [Laggard]) {
        var settled: [SinkLane: Int64] = [:]
        var laggards: [Laggard] = []
        for stage in stages {
            let ends = try ends(of: stage.layout.inputs.compactMap { PipelineTopic(rawValue: $0.topic) })
            settled.merge(ends) { $1 }
            for (lane, end) in ends {
                let done = try done(of: lane, stage.reader)
                guard done < end else { continue }
                laggards.append(
                    Laggard(
                        worker: "\(stage.layout.name)-worker", topic: lane.topic, lane: lane.lane, records: end - done))
            }
        }
        let stored = try ends(of: [.warnings, .riderUpdates, .locationsDeadLetter])
        settled.merge(stored) { $1 }
        for backlog in try sinks.backlogs(of: settled) {
            laggards.append(
                Laggard(
                    worker: "\(backlog.sink)-worker", topic: backlog.lane.topic, lane: backlog.lane.lane,
                    records: backlog.records))
        }
        return (settled, laggards)
    }

    /// The offset up to which a group is done with a lane; what retention has deleted need not be done.
    private func done(of lane: SinkLane, _ reader: KafkaReader) throws -> Int64 {
        let name = KafkaLane(topic: access.settings.kafka.topicPrefix + lane.topic, partition: lane.lane)
        return max(try reader.committed([name])[name] ?? 0, try reader.watermarks(of: name).low)
    }
}
