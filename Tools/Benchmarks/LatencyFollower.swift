import Domain
import Kafka
import SightlineCLI
import Support

/// Reads raw records and what is made of them as they are appended, and notes how far apart they are.
final class LatencyFollower {
    fileprivate struct State: Sendable {
        var countedFrom = Timestamp(milliseconds: .max)
        /// Of the raw records themselves: one hop over the broker, of which an update takes four.
        var hops = LatencyHistogram()
        /// In the order of ``LatencyFollower/derived``.
        var meters = derived.map { _ in LatencyMeter(countedFrom: Timestamp(milliseconds: .max)) }
    }

    private static let derived: [PipelineTopic] = [.locations, .tripEtas, .riderUpdates]
    private let follower: TopicFollower<State>

    init(_ configuration: KafkaConfiguration, stage: BenchStage) {
        let topics = ([.rawLocations] + Self.derived).map(stage.topic)
        let starts = topics.flatMap(stage.partitions).map { ($0, KafkaPosition.beginning) }
        follower = TopicFollower(
            configuration, topics: topics, from: Dictionary(uniqueKeysWithValues: starts), into: State()
        ) {
            { message, seenAt, state in
                if message.input == 0 {
                    state.note(raw: message, seenAt: seenAt)
                } else if let event = message.record.event {
                    state.meters[message.input - 1].recordOutput(event, seenAt: seenAt)
                }
            }
        }
    }

    /// From each raw record, sent at or after the time set, to the moment that what `topic` has of it could be read.
    func times(of topic: PipelineTopic) -> LatencyHistogram {
        follower.withState { state in
            Self.derived.firstIndex(of: topic).map { state.meters[$0].times } ?? state.hops
        }
    }

    /// - Throws: what ended the reading before its time.
    func checkFailure() throws { try follower.checkFailure() }

    func countFrom(_ time: Timestamp) {
        follower.withState { state in
            state.countedFrom = time
            for index in state.meters.indices { state.meters[index].countedFrom = time }
        }
    }

    func start() { follower.start() }

    func stop() { follower.stop() }
}

extension LatencyFollower.State {
    fileprivate mutating func note(raw message: KafkaMessage, seenAt: Timestamp) {
        let sentAt = message.timestamp
        if sentAt >= countedFrom { hops.record(milliseconds: seenAt.milliseconds - sentAt.milliseconds) }
        for index in meters.indices {
            meters[index].recordSource(partition: message.partition, offset: message.offset, sentAt: sentAt)
        }
    }
}
