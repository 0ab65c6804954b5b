/// Connection string, timeouts and session settings of a connection to Postgres.
package struct PostgresConfiguration: Sendable, CustomStringConvertible {
    /// Connection string, `postgresql://…` or `host=… dbname=…`, which may list several hosts.
    package var url: String
    /// Name of the process in `pg_stat_activity`.
    package var applicationName: String
    /// Timeout per host, rounded down to whole seconds, at least 2 s.
    package var connectTimeout: Duration
    /// Time limit of a call, from sending until the end of the response; `nil` for none.
    package var responseTimeout: Duration?
    /// Statements run once on each new connection, such as `SET synchronous_commit = off`.
    package var sessionSettings: [String]
    /// Advice for errors of failed connections; empty for the default advice.
    package var advice: String

    package init(
        url: String, applicationName: String = "sightline", connectTimeout: Duration = .seconds(5),
        responseTimeout: Duration? = .seconds(30), sessionSettings: [String] = [], advice: String = ""
    ) {
        self.url = url
        self.applicationName = applicationName
        self.connectTimeout = connectTimeout
        self.responseTimeout = responseTimeout
        self.sessionSettings = sessionSettings
        self.advice = advice
    }

    /// Whether ``url`` has a password.
    /// - Throws: ``PostgresError`` if the URL is invalid.
    package var hasPassword: Bool { get throws { try ConnectionString.password(in: url) != nil } }

    /// Text without the URL, which may contain a password.
    package var description: String {
        "PostgresConfiguration(applicationName: \(applicationName), connectTimeout: \(connectTimeout))"
    }

    /// Keywords for libpq: defaults first, so that settings in the URL override them.
    var parameters: [(keyword: String, value: String)] {
        [
            ("connect_timeout", String(max(2, connectTimeout.components.seconds))),
            ("application_name", applicationName),
            ("client_encoding", "UTF8"),
            // Detects a vanished server after 10 s + 3 × 5 s, or after 30 s with unacknowledged data.
            ("keepalives", "1"), ("keepalives_idle", "10"), ("keepalives_interval", "5"), ("keepalives_count", "3"),
            ("tcp_user_timeout", "30000"),
            ("dbname", url),
        ]
    }
}
