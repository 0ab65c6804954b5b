import Kafka
import Redis
import Runtime

/// Configuration of the push sink.
package struct PushSinkConfiguration: Sendable {
    package var redis: RedisConfiguration
    /// Prefix of every key.
    package var keyPrefix: String
    package var kafka: KafkaConfiguration
    package var names: TopicNames
    package var rendering: PushRendering
    /// Maximum age of an event; older ones are not sent.
    package var maximumAge: Duration
    /// Maximum delivery time of one ``PushSink/write(_:meanwhile:)``, so that the worker can handle rebalances and stops.
    ///
    /// With the timeouts of the last requests it must be shorter than the shutdown timeout.
    package var patience = Duration.seconds(8)
    /// Lifetime of a trip's devices after its end.
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
