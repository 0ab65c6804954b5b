import Kafka
import Redis
import Runtime

/// What push-worker needs.
package struct PushSinkConfiguration: Sendable {
    package var redis: RedisConfiguration
    /// Comes before every key.
    package var keyPrefix: String
    package var kafka: KafkaConfiguration
    package var names: TopicNames
    package var rendering: PushRendering
    /// What is older is not told any more.
    package var maximumAge: Duration
    /// How long one call of ``PushSink/write(_:meanwhile:)`` delivers before it lets the worker look at what else there is
    /// to do; default 8 s, and with the answers of its last requests below what a stop may take.
    package var patience = Duration.seconds(8)
    /// How long the devices of a trip are kept after its end; default 24 h.
    package var keptAfterEnd = Duration.seconds(24 * 3600)

    package init(
        redis: RedisConfiguration, keyPrefix: String, kafka: KafkaConfiguration, names: TopicNames,
        rendering: PushRendering, maximumAge: Duration
    ) {
        self.redis = redis
        self.keyPrefix = keyPrefix
        self.kafka = kafka
        self.names = names
        self.rendering = rendering
        self.maximumAge = maximumAge
    }
}
