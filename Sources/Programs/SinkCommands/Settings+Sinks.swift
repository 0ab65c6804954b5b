import Postgres
import Redis
import Settings
import Sinks

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

    /// How the program reaches Postgres.
    package var postgresConfiguration: PostgresConfiguration {
        PostgresConfiguration(url: postgres.url.reveal(), advice: postgres.advice())
    }

    /// How history is written and how much of it is kept.
    package var historySink: HistorySinkConfiguration {
        var result = HistorySinkConfiguration(postgres: postgresConfiguration)
        result.postgres.applicationName = "sightline-history"
        result.retentionDays = postgres.retentionDays
        result.minimumIntervalMilliseconds = Int64(postgres.minimumIntervalMilliseconds)
        result.minimumDistanceMeters = postgres.minimumDistanceMeters
        result.smoothsPaths = postgres.smoothsPaths
        return result
    }
}
