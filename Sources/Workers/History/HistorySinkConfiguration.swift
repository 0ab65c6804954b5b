import Domain
import Postgres
import Runtime

package struct HistorySinkConfiguration: Sendable {
    package var postgres: PostgresConfiguration
    /// Retention in days; 0 keeps all rows.
    package var retentionDays = 30
    /// Minimum time between stored fixes of a driver; 0 for no minimum.
    package var minimumIntervalMilliseconds: Int64 = 0
    /// Minimum distance between stored fixes of a driver; 0 for no minimum.
    package var minimumDistanceMeters = 0.0
    /// Whether to also store positions smoothed with later fixes.
    package var smoothsPaths = true
    /// Length of a window of stream time; one sample of a trip's arrival times is stored per window.
    package var etaWindowMilliseconds: Int64 = 30_000
    /// Maximum prediction horizon that is stored; twice the longest one in `eta_accuracy()`.
    package var etaHorizonSeconds = 3_600
    /// Maximum wait for a partition that another writer has locked.
    package var lockTimeout: Duration = .seconds(5)
    /// Time after which a writer counts as frozen: idle in a transaction, or waiting for its client's `COPY` data.
    package var frozenWriterAge: Duration = .seconds(10)

    package init(postgres: PostgresConfiguration) { self.postgres = postgres }

    /// Whether fixes with an estimate may be skipped due to a minimum time or distance.
    var thinsFixes: Bool { minimumIntervalMilliseconds > 0 || minimumDistanceMeters > 0 }

    /// Topics whose record headers are not read.
    ///
    /// The value of a verdict contains the event id; only smoothing needs the state header.
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
