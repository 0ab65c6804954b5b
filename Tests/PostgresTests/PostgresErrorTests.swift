import Testing

@testable import Postgres

@Suite("Postgres errors")
struct PostgresErrorTests {
    @Test(
        "temporary errors are retriable",
        arguments: [
            "08006", "40001", "40P01", "53100", "53200", "53300", "55P03", "57014", "57P01", "57P02", "57P03", "58030",
            "25006", "25P03", "XX000",
        ])
    func retriable(state: String) {
        let error = PostgresError.server("no", sqlState: state)
        #expect(error.isRetriable)
    }

    @Test(
        "permanent errors are fatal",
        arguments: ["28P01", "28000", "3D000", "3F000", "42P01", "42501", "42703", "22P02", "23505", "25P02", "0A000"])
    func fatal(state: String) {
        let error = PostgresError.server("no", sqlState: state)
        #expect(!error.isRetriable)
    }

    @Test("messages contain a remedy if there is one, and text and SQLSTATE")
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

    @Test("a server shutdown is a lost connection, and a failed statement is not")
    func lostConnections() {
        #expect(PostgresError.server("no", sqlState: "57P01").code == .connectionLost)
        #expect(PostgresError.server("no", sqlState: "42P01").code == .refused)
    }

    @Test(
        "the SQLSTATE is the last one in libpq's verbose message",
        arguments: [
            ("connection to server at \"h\", port 1 failed: FATAL:  28P01: password authentication failed", "28P01"),
            ("a: FATAL:  57P03: starting up\nLOCATION:  x\nb: FATAL:  3D000: database \"x\" does not exist", "3D000"),
            ("could not translate host name \"x\" to address: Name or service not known", nil),
            ("failed: Connection refused\n\tIs the server running on that host and accepting TCP/IP connections?", nil),
        ])
    func stateInMessage(message: String, state: String?) {
        #expect(ConnectionFailure.lastSQLState(in: message) == state)
    }

    @Test("passwords are masked, and messages are one line without hints")
    func hiding() {
        #expect(ConnectionFailure.hide("s3cret", in: "a s3cret b s3cret") == "a *** b ***")
        #expect(ConnectionFailure.hide("", in: "abc") == "abc")
        #expect(
            "first line.\n\tIs it running?\nsecond.\n".withCString { ConnectionFailure.sentence($0, hiding: nil) }
                == "first line.; second")
    }

    @Test("the error of an invalid connection string does not contain its password")
    func invalidConnectionString() {
        let error = #expect(throws: PostgresError.self) {
            try ConnectionString.password(in: "postgresql://u:hunter2%@h/d")
        }
        #expect(error?.isRetriable == false)
        #expect(error?.message.contains("hunter2") == false)
    }

    @Test("the password is extracted from both formats of connection strings")
    func passwords() throws {
        #expect(try ConnectionString.password(in: "postgresql://u:p%40ss@h:1/d") == "p@ss")
        #expect(try ConnectionString.password(in: "host=h password=word") == "word")
        #expect(try ConnectionString.password(in: "postgresql://h/d") == nil)
    }

    @Test("the URL is the last parameter, so it overrides defaults, and a printed configuration hides its password")
    func configuration() {
        let configuration = PostgresConfiguration(url: "postgresql://u:hunter2@h/d?connect_timeout=1")
        #expect(configuration.parameters.last?.keyword == "dbname")
        #expect(!"\(configuration)".contains("hunter2"))
    }

    @Test(
        "trust errors of TLS are distinguished from broken connections",
        arguments: [
            ("SSL error: certificate verify failed", true),
            (#"server certificate for "db" does not match host name "other""#, true),
            (#"root certificate file "/x" does not exist"#, true),
            ("server does not support SSL, but SSL was required", true), ("SSL error: tlsv13 alert unknown ca", true),
            ("SSL SYSCALL error: EOF detected", false), ("SSL connection has been closed unexpectedly", false),
            ("connection refused", false),
        ])
    func trust(reason: String, isTrustError: Bool) { #expect(ConnectionFailure.isTrustError(reason) == isTrustError) }
}
