import Model
import Postgres

/// How far the history has written the pipeline's topics, for where they are created anew.
///
/// The rows of the history stay. The names in `sink_progress` are those of the pipeline, without the prefix of the
/// topics: a database belongs to one prefix.
package struct HistoryProgress {
    private let connection: PostgresConnection
    private static let condition = "topic = ANY($1)"
    private static var topics: [PostgresValue] { [.texts(PipelineTopic.allCases.map(\.rawValue))] }

    /// Takes a connection to a database that has the tables of the history.
    package init(_ connection: PostgresConnection) { self.connection = connection }

    /// Partitions that have been written.
    package func count() throws -> Int {
        let result = try connection.execute(
            "SELECT count(*) FROM sink_progress WHERE \(Self.condition)", Self.topics)
        return Int(try result.first?.integer(0) ?? 0)
    }

    /// Finds out whether ``delete()`` may do its work, before anything depends on that.
    /// - Throws: `PostgresError` where the right is missing.
    package func requireRights() throws {
        let result = try connection.execute("SELECT has_table_privilege('sink_progress', 'DELETE')")
        guard try result.first?.boolean(0) != true else { return }
        throw PostgresError(
            code: .refused,
            message:
                "The Postgres user may not delete from sink_progress. Run this as the owner of the tables, which ran "
                + "`sightline migrate`.", isRetriable: false)
    }

    /// Deletes the progress of all partitions; the user has to own the table or to have the right to delete.
    /// - Returns: how many there were.
    package func delete() throws -> Int {
        let result = try connection.execute(
            "WITH gone AS (DELETE FROM sink_progress WHERE \(Self.condition) RETURNING 1) SELECT count(*) FROM gone",
            Self.topics)
        return Int(try result.first?.integer(0) ?? 0)
    }
}
