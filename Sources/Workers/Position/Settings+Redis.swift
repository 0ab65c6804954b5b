import Redis
import Runtime

extension Settings {
    /// How the program reaches Redis.
    /// - Throws: `RedisError` for a URL that is none.
    package func redisConfiguration() throws -> RedisConfiguration {
        var result = try RedisConfiguration(url: redis.url.reveal())
        result.advice = redis.advice()
        if result.tls != nil {
            result.tls = RedisTLSConfiguration(
                authorityFile: redis.authorityLocation, certificateFile: redis.certificateLocation,
                keyFile: redis.keyLocation)
        }
        return result
    }

    /// What the position sink keeps, and where.
    /// - Throws: `RedisError` for a URL that is none.
    package func positionSink() throws -> PositionSinkConfiguration {
        var result = PositionSinkConfiguration(redis: try redisConfiguration())
        result.keyPrefix = redis.keyPrefix
        result.nearestDrivers = redis.nearestDrivers
        return result
    }
}
