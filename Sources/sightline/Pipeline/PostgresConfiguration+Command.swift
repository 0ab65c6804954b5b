import Postgres

extension PostgresConfiguration {
    /// The same for a command, whose questions may take as long as they need.
    ///
    /// `name`: shown in `pg_stat_activity`.
    package func forCommand(_ name: String) -> PostgresConfiguration {
        var result = self
        result.applicationName = name
        result.responseTimeout = nil
        return result
    }
}
