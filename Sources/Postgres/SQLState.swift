/// Classification of Postgres error codes; see PostgreSQL documentation, appendix A.
struct SQLState {
    private let code: Substring
    private var family: Substring { code.prefix(2) }

    init(_ code: String) { self.code = code[...] }

    /// Whether a retry without changes may succeed.
    var isRetriable: Bool {
        switch family {
        case "08",  // connection exceptions
            "40",  // serialisation failure, deadlock
            "53",  // out of disk, memory, connections
            "57",  // shutdown, crash, start-up, cancelled by a timeout
            "58",  // system errors: input and output
            "XX":  // internal errors, mostly temporary ("tuple concurrently updated")
            true
        case "55": code == "55P03" || code == "55006"  // a lock or object is in use
        case "25":
            // Read-only (a standby, until its failover), and an idle transaction timeout.
            code == "25006" || code == "25P03"
        default: false
        }
    }

    /// Whether the server closes the connection.
    var endsConnection: Bool { family == "08" || ["57P01", "57P02", "57P03", "57P05", "25P03"].contains(code) }

    /// The fix, as one sentence.
    var advice: String? {
        switch code {
        case "28P01", "28000": "Check the user and password in POSTGRES_URL."
        case "3D000": "Create the database, or correct its name in POSTGRES_URL."
        case "42P01", "42883", "42703", "3F000", "42704":
            "Run `sightline migrate` against this database."
        case "42501":
            "Grant the user the role sightline_worker (to write) or sightline_reader (to query)."
        case "53100": "Free disk space on the database server."
        case "53300": "Raise max_connections on the server, or run fewer workers."
        case "25006":
            "The server is read-only, probably a standby; add target_session_attrs=read-write to POSTGRES_URL."
        case "22007", "22008": "Give times as 2025-03-14T18:32:15Z."
        default: nil
        }
    }
}
