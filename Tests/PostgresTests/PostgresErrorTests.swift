import Testing

@testable import Postgres

@Suite("Postgres errors")
struct PostgresErrorTests {
    @Test(
        "what passes by itself is retriable",
        arguments: [
            "08006", "40001", "40P01", "53100", "53200", "53300", "55P03", "57014", "57P01", "57P02", "57P03", "58030",
            "25006", "25P03", "XX000",
        ])
    func retriable(state: String) {
        let error = PostgresError.server("no", sqlState: state)
        #expect(error.isRetriable)
        #expect(!error.isFatal)
    }

    @Test(
        "what waiting does not mend is fatal",
        arguments: ["28P01", "28000", "3D000", "3F000", "42P01", "42501", "42703", "22P02", "23505", "25P02", "0A000"])
    func fatal(state: String) {
        let error = PostgresError.server("no", sqlState: state)
        #expect(error.isFatal)
        #expect(!error.isRetriable)
    }

    @Test("messages name the fix")
    func advice() {
        #expect(
            PostgresError.server("no", sqlState: "42P01").message.hasSuffix(
                "Run `sightline migrate` against this database."))
        #expect(PostgresError.server("no", sqlState: "28P01").message.contains("POSTGRES_URL"))
        #expect(PostgresError.server("no", sqlState: "42501").message.contains("sightline_worker"))
        #expect(
            PostgresError.server("relation is gone", sqlState: "40001").message
                == "Postgres: relation is gone (SQLSTATE 40001).")
    }

    @Test("a shutdown of the server is a lost connection, a refused statement is not")
    func lostConnections() {
        #expect(PostgresError.server("no", sqlState: "57P01").code == .connectionLost)
        #expect(PostgresError.server("no", sqlState: "42P01").code == .refused)
    }

    @Test(
        "the code is found in libpq's verbose message, of several hosts the last one's",
        arguments: [
            ("connection to server at \"h\", port 1 failed: FATAL:  28P01: password authentication failed", "28P01"),
            ("a: FATAL:  57P03: starting up\nLOCATION:  x\nb: FATAL:  3D000: database \"x\" does not exist", "3D000"),
            ("could not translate host name \"x\" to address: Name or service not known", nil),
            ("failed: Connection refused\n\tIs the server running on that host and accepting TCP/IP connections?", nil),
        ])
    func stateInMessage(message: String, state: String?) {
        #expect(ConnectionFailure.lastSQLState(in: message) == state)
    }

    @Test("a password is hidden wherever it appears, and a message becomes one line without hints")
    func hiding() {
        #expect(ConnectionFailure.hide("s3cret", in: "a s3cret b s3cret") == "a *** b ***")
        #expect(ConnectionFailure.hide("", in: "abc") == "abc")
        #expect(
            "first line.\n\tIs it running?\nsecond.\n".withCString { ConnectionFailure.sentence($0, hiding: nil) }
                == "first line.; second")
    }

    @Test("a connection string that cannot be read is refused without being repeated")
    func unreadableAddress() {
        let error = #expect(throws: PostgresError.self) {
            try ConnectionString.password(in: "postgresql://u:hunter2%@h/d")
        }
        #expect(error?.isFatal == true)
        #expect(error?.message.contains("hunter2") == false)
    }

    @Test("the password is found in both forms of connection string")
    func passwords() throws {
        #expect(try ConnectionString.password(in: "postgresql://u:p%40ss@h:1/d") == "p@ss")
        #expect(try ConnectionString.password(in: "host=h password=word") == "word")
        #expect(try ConnectionString.password(in: "postgresql://h/d") == nil)
    }

    @Test("the URL comes after our defaults, so that its own settings win, and is not described")
    func configuration() {
        let configuration = PostgresConfiguration(url: "postgresql://u:hunter2@h/d?connect_timeout=1")
        #expect(configuration.parameters.last?.keyword == "dbname")
        #expect(!"\(configuration)".contains("hunter2"))
    }

    @Test(
        "a certificate that is not accepted is not waited for, a connection that breaks is",
        arguments: [
            ("SSL error: certificate verify failed", true),
            (#"server certificate for "db" does not match host name "other""#, true),
            (#"root certificate file "/x" does not exist"#, true),
            ("server does not support SSL, but SSL was required", true), ("SSL error: tlsv13 alert unknown ca", true),
            ("SSL SYSCALL error: EOF detected", false), ("SSL connection has been closed unexpectedly", false),
            ("connection refused", false),
        ])
    func trust(reason: String, isAboutTrust: Bool) {
        #expect(ConnectionFailure.isAboutTrust(reason) == isAboutTrust)
    }
}
