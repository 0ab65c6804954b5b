/// Where the database is and how patient to be with it.
package struct PostgresConfiguration: Sendable, CustomStringConvertible {
    /// `postgresql://user:password@host:port/database?…`, or libpq's `host=… dbname=…` form; may name several hosts.
    package var url: String
    /// Shown in `pg_stat_activity`.
    package var applicationName: String
    /// For one host to let us in, in whole seconds; default 5 s.
    package var connectTimeout: Duration
    /// For the server to take or send anything while a call waits; default 30 s, and `nil` waits for ever.
    package var responseTimeout: Duration?
    /// Statements run once on each new connection, such as `SET synchronous_commit = off`.
    package var sessionSettings: [String]
    /// Sentences that tell what to do where no connection can be made; empty for the advice that always holds.
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

    /// Whether ``url`` holds a password.
    /// - Throws: ``PostgresError`` when the URL cannot be read.
    package var holdsPassword: Bool { get throws { try ConnectionString.password(in: url) != nil } }

    /// Without the URL, which holds a password.
    package var description: String {
        "PostgresConfiguration(applicationName: \(applicationName), connectTimeout: \(connectTimeout))"
    }

    /// What libpq is given: our defaults first, the URL after them, so that the URL's own settings win.
    var parameters: [(keyword: String, value: String)] {
        [
            ("connect_timeout", String(max(2, connectTimeout.components.seconds))),
            ("application_name", applicationName),
            ("client_encoding", "UTF8"),
            // A server that vanished without a word is noticed after 10 s + 3 × 5 s of silence, and after 30 s with
            // data unacknowledged.
            ("keepalives", "1"), ("keepalives_idle", "10"), ("keepalives_interval", "5"), ("keepalives_count", "3"),
            ("tcp_user_timeout", "30000"),
            ("dbname", url),
        ]
    }
}
