import Domain
import Postgres
import Runtime

package struct HistorySinkConfiguration: Sendable {
    package var postgres: PostgresConfiguration
    /// Retention in days; 0 keeps all.
    package var retentionDays = 30
    /// Minimum time between stored fixes of a driver; 0 stores all.
    package var minimumIntervalMilliseconds: Int64 = 0
    /// Minimum distance between stored fixes of a driver; 0 stores all.
    package var minimumDistanceMeters = 0.0
    /// Whether to also store positions smoothed with later fixes.
    package var smoothsPaths = true
    /// Length of the window in which one sample of a trip's arrival times is stored.
    package var etaWindowMilliseconds: Int64 = 30_000
    /// Maximum prediction horizon that is stored; twice the horizon that is evaluated.
    package var etaHorizonSeconds = 3_600
    /// Maximum wait for a partition that another writer has locked.
    package var lockTimeout: Duration = .seconds(5)
    /// Time without a statement in a transaction after which a writer counts as frozen.
    package var frozenWriterAge: Duration = .seconds(10)

    package init(postgres: PostgresConfiguration) { self.postgres = postgres }

    /// Whether some accepted fixes are not stored.
    var thinsFixes: Bool { minimumIntervalMilliseconds > 0 || minimumDistanceMeters > 0 }

    /// Topics whose record headers are not read.
    ///
    /// Verdicts contain their event id; only smoothing needs their state header.
    package var topicsWithoutHeaders: Set<String> { smoothsPaths ? [] : [PipelineTopic.locations.rawValue] }

    /// Connection for short write transactions.
    var writerConnection: PostgresConfiguration {
        var connection = postgres
        connection.sessionSettings += [
            // A server crash loses the last rows together with the progress, and the records are read again.
            "SET synchronous_commit = off",
            "SET lock_timeout = '\(lockTimeout.wholeMilliseconds)ms'",
            // Releases the partitions of a worker that is frozen between two statements.
            "SET idle_in_transaction_session_timeout = '\(frozenWriterAge.wholeMilliseconds)ms'",
        ]
        return connection
    }
}

extension Settings {
    package var postgresConfiguration: PostgresConfiguration {
        PostgresConfiguration(url: postgres.url.reveal(), advice: postgres.advice())
    }

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
