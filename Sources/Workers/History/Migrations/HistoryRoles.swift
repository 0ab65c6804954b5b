import Postgres

/// Roles of `grant_history_roles()`: `sightline_worker` writes and `sightline_reader` reads.
///
/// Roles belong to the whole server. An owner without CREATEROLE cannot create them, but can migrate.
package struct HistoryRoles: Sendable, Equatable {
    package let user: String
    package let missing: [String]
    /// Roles that have no rights on the tables of this database.
    package let withoutRights: [String]

    /// Creates missing roles and grants missing rights, as far as the current user may.
    /// - Throws: ``PostgresError``, except for a missing permission of the user.
    /// - Returns: the state afterwards.
    package static func grant(_ connection: PostgresConnection) throws -> HistoryRoles {
        let before = try read(connection)
        guard !before.isComplete else { return before }
        do {
            try connection.execute("SELECT grant_history_roles()")
        } catch let error as PostgresError where error.sqlState == "42501" {
            return before  // not the owner
        }
        return try read(connection)
    }

    /// Reads the missing roles and rights.
    package static func read(_ connection: PostgresConnection) throws -> HistoryRoles {
        let result = try connection.execute(
            """
            SELECT current_user, r.name, p.oid IS NOT NULL,
                CASE WHEN p.oid IS NULL THEN false ELSE has_table_privilege(p.oid, r.probe::regclass, r.privilege) END
            FROM (VALUES (1, 'sightline_worker', 'location_history', 'INSERT'),
                (2, 'sightline_reader', 'trip_events', 'SELECT')) AS r (rank, name, probe, privilege)
            LEFT JOIN pg_roles p ON p.rolname = r.name ORDER BY r.rank
            """)
        var missing: [String] = []
        var withoutRights: [String] = []
        for row in result.rows {
            let name = try row.text(1)
            if try !row.boolean(2) {
                missing.append(name)
            } else if try !row.boolean(3) {
                withoutRights.append(name)
            }
        }
        return HistoryRoles(
            user: try result.first?.text(0) ?? "", missing: missing, withoutRights: withoutRights)
    }

    package var isComplete: Bool { missing.isEmpty && withoutRights.isEmpty }

    /// Remaining steps, with statements and the user who must run them; `nil` if complete.
    package var advice: String? {
        guard !isComplete else { return nil }
        var lines: [String] = []
        if !missing.isEmpty {
            lines += [
                "\(Self.list(missing)) missing, and \(user) cannot create roles (it lacks CREATEROLE). Until they "
                    + "exist, only \(user) can use the tables. A database administrator has to run:"
            ]
            lines += missing.map { "    CREATE ROLE \($0) NOLOGIN;" }
        }
        if !withoutRights.isEmpty {
            lines.append("\(Self.list(withoutRights)) without rights on the tables of this database.")
        }
        lines += [
            "\(missing.isEmpty ? "" : "After that, ")the owner of the tables has to run, in this database:",
            "    SELECT grant_history_roles();", "or `sightline migrate` once more.",
        ]
        return lines.joined(separator: "\n")
    }

    private static func list(_ names: [String]) -> String {
        names.count == 1 ? "The role \(names[0]) is" : "The roles \(names.joined(separator: " and ")) are"
    }
}
