import Domain
import Redis
import Runtime

package struct PositionSinkConfiguration: Sendable {
    package var redis: RedisConfiguration
    /// Prefix of every key, so that environments can share a Redis.
    package var keyPrefix = ""
    /// Lifetime of a driver's keys after the last position.
    package var driverLifetime: Duration = .seconds(24 * 3600)
    /// Lifetime of a trip's keys after its last update.
    package var tripLifetime: Duration = .seconds(24 * 3600)
    /// Age of a lifetime from which a write renews it; keys may expire this much earlier.
    ///
    /// Renewing with every write would be a quarter of all commands.
    package var lifetimeSlack: Duration = .seconds(600)
    /// Number of records from which no further partition joins a transaction.
    ///
    /// Small enough for Redis to serve other clients in between and to execute one transaction while the next one is
    /// prepared; large enough for live traffic to fit into one.
    package var transactionRecords = 2000
    package var nearestDrivers = NearestDrivers.unflagged
    package var trailLength = 100
    /// Approximate number of updates of a trip that are kept for reconnecting riders.
    package var streamLength = 512
    /// Silence after which a driver is removed from the geo sets.
    package var silentAfter: Duration = .seconds(600)
    /// Maximum members of geo sets that one sweep examines; takes Redis well under a second.
    package var sweepLimit = 50_000
    /// Maximum drivers, and trips, cached in the process, about 100 bytes each; beyond it the cache is cleared.
    package var cachedKeys = 2_000_000

    package init(redis: RedisConfiguration) { self.redis = redis }
}

extension Settings {
    /// - Throws: `RedisError` for an invalid URL.
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

    /// - Throws: `RedisError` for an invalid URL.
    package func positionSink() throws -> PositionSinkConfiguration {
        var result = PositionSinkConfiguration(redis: try redisConfiguration())
        result.keyPrefix = redis.keyPrefix
        result.nearestDrivers = redis.nearestDrivers
        return result
    }
}
