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
    /// Minimum time between renewals of a key's lifetime; keys may expire this much earlier.
    ///
    /// Renewing with every write would be a quarter of all commands.
    package var lifetimeSlack: Duration = .seconds(600)
    /// Number of records at which a transaction is complete.
    ///
    /// Small enough that Redis serves other clients in between and executes one transaction while the next one is
    /// prepared; large enough that live traffic fits into one transaction.
    package var transactionRecords = 2000
    package var nearestDrivers = NearestDrivers.unflagged
    package var trailLength = 100
    /// Approximate number of updates of a trip that are kept for reconnecting riders.
    package var streamLength = 512
    /// Silence after which a driver is removed from the geo sets.
    package var silentAfter: Duration = .seconds(600)
    /// Approximate maximum of geo set members that one sweep examines, in well under a second.
    package var sweepLimit = 50_000
    /// Maximum entries per cache (drivers, channels), about 100 bytes each; cleared if exceeded.
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
