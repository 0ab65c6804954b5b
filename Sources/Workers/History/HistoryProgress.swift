import Domain
import Postgres

/// Stored progress in the pipeline's topics, to be deleted when the topics are recreated.
///
/// Other tables keep their rows. Topic names have no prefix, as a database belongs to one prefix.
package struct HistoryProgress {
    private let connection: PostgresConnection
    private static let condition = "topic = ANY($1)"
    private static var topics: [PostgresValue] { [.texts(PipelineTopic.allCases.map(\.rawValue))] }

    /// `connection`: to a database with the history tables.
    package init(_ connection: PostgresConnection) { self.connection = connection }

    package func count() throws -> Int {
        let result = try connection.execute(
            "SELECT count(*) FROM sink_progress WHERE \(Self.condition)", Self.topics)
        return Int(try result.first?.integer(0) ?? 0)
    }

    /// Checks that ``delete()`` is permitted, before topics are changed.
    /// - Throws: `PostgresError` if the permission is missing.
    package func requireRights() throws {
        let result = try connection.execute("SELECT has_table_privilege('sink_progress', 'DELETE')")
        guard try result.first?.boolean(0) != true else { return }
        throw PostgresError(
            code: .refused,
            message:
                "The Postgres user may not delete from sink_progress. Run this as the owner of the tables (the user of "
                + "`sightline migrate`).")
    }

    /// Deletes the progress of all partitions; requires the right DELETE on `sink_progress`.
    /// - Returns: the number of deleted rows.
    package func delete() throws -> Int {
        let result = try connection.execute(
            "WITH gone AS (DELETE FROM sink_progress WHERE \(Self.condition) RETURNING 1) SELECT count(*) FROM gone",
            Self.topics)
        return Int(try result.first?.integer(0) ?? 0)
    }
}
