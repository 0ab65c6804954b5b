import Kafka
import SightlineCLI

/// How long updates take from when they are due to a plain reader of their topic, without a gateway.
final class BrokerHop {
    private let follower: TopicFollower<LatencyHistogram>

    /// Begins to read at the end of the topic; what was sent before does not count.
    init(_ stage: BenchStage) {
        let topic = stage.topic(.riderUpdates)
        let begin = UpdateStamp.now
        var kafka = stage.access.kafka
        kafka.properties[BenchStage.fetchWaitProperty] = stage.fetchWaitMilliseconds
        let starts = stage.partitions(of: topic).map { ($0, KafkaPosition.end) }
        follower = TopicFollower(
            kafka, topics: [topic], from: Dictionary(uniqueKeysWithValues: starts), into: LatencyHistogram()
        ) {
            { message, _, times in
                guard let stamp = message.record.value.flatMap({ UpdateStamp.read($0.buffer) }), stamp.sentAt >= begin
                else { return }
                times.record(milliseconds: (UpdateStamp.now - stamp.sentAt) / 1000)
            }
        }
        follower.start()
    }

    /// Stops reading, and returns what was measured.
    func stop() throws -> LatencyHistogram {
        follower.stop()
        try follower.checkFailure()
        return follower.withState { $0 }
    }
}
