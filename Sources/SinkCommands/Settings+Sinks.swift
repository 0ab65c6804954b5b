import Redis
import Settings
import Sinks

extension Settings {
    /// What the position sink keeps, and where.
    /// - Throws: `RedisError` for a URL that is none.
    package func positionSink() throws -> PositionSinkConfiguration {
        var result = PositionSinkConfiguration(redis: try RedisConfiguration(url: redis.url.reveal()))
        result.keyPrefix = redis.keyPrefix
        return result
    }
}
