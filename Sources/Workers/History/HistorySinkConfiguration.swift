import Model
import Postgres

/// How history is written and how much of it is kept.
package struct HistorySinkConfiguration: Sendable {
    /// The database.
    package var postgres: PostgresConfiguration
    /// Days kept, 0 for all; default 30.
    package var retentionDays = 30
    /// Accepted fixes of a driver closer in time than this to the last one kept are left out; default 0 keeps all.
    package var minimumIntervalMilliseconds: Int64 = 0
    /// Accepted fixes of a driver nearer than this to the last one kept are left out; default 0 keeps all.
    package var minimumDistanceMeters = 0.0
    /// Whether positions are kept that are smoothed with later fixes, too; default yes.
    package var smoothsPaths = true
    /// One sample of a trip's promises is kept in each window of this length; default 30 s.
    package var etaWindowMilliseconds: Int64 = 30_000
    /// Promises further ahead than this are not kept; default 1 h, twice what is judged.
    package var etaHorizonSeconds = 3_600
    /// Whether a commit waits for the disk; default no.
    ///
    /// Not waiting is safe here: a crash of the server takes the last moments' rows and their stored progress together,
    /// and the worker, finding the clocks behind, reads those records from Kafka again.
    package var waitsForDisk = false
    /// Longest wait for a partition that another writer holds before that writer is looked into; default 5 s.
    package var lockTimeout: Duration = .seconds(5)
    /// A writer that has not sent anything in a transaction for this long is taken for frozen; default 10 s.
    package var frozenWriterAge: Duration = .seconds(10)

    package init(postgres: PostgresConfiguration) { self.postgres = postgres }

    /// Whether some accepted fixes are left out.
    var thinsFixes: Bool { minimumIntervalMilliseconds > 0 || minimumDistanceMeters > 0 }

    /// The topics whose records' headers are not looked at: every verdict is read anyway, and says of which event it is;
    /// but what the filter knew after it is in a header.
    package var topicsWithoutHeaders: Set<String> { smoothsPaths ? [] : [PipelineTopic.locations.rawValue] }

    /// The connection, set up for writing in short transactions.
    var writerConnection: PostgresConfiguration {
        var connection = postgres
        connection.sessionSettings += [
            "SET synchronous_commit = \(waitsForDisk ? "on" : "off")",
            "SET lock_timeout = '\(lockTimeout.wholeMilliseconds)ms'",
            // A worker that is frozen between two statements lets go of its partitions.
            "SET idle_in_transaction_session_timeout = '\(frozenWriterAge.wholeMilliseconds)ms'",
        ]
        return connection
    }
}
