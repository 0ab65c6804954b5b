import Postgres
import Runtime

extension Settings {
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
