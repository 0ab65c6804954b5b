import ChildProcesses
import Foundation
import Postgres
import TestSupport
import Testing

@Suite("Postgres connection", .blocking, .enabled(if: HistoryDatabase.server != nil, HistoryDatabase.hint))
struct PostgresConnectionTests {
    private let database: HistoryDatabase
    private var connection: PostgresConnection { database.connection }

    init() throws { database = try HistoryDatabase(isMigrated: false) }

    @Test("parameters with any content are returned unchanged")
    func parameterRoundTrip() throws {
        let nasty = #"'; DROP TABLE x; -- {"a\b",NULL} ünï"#
        let row = try #require(
            try connection.execute(
                "SELECT $1::text, $2::bigint, $3::float8, $4::boolean, $5::text[], $6::bigint[], $7::text",
                [
                    .text(nasty), .integer(.min), .double(.pi), .boolean(true), .texts([nasty, "", "NULL"]),
                    .integers([1, -2]), .null,
                ]
            ).first)
        #expect(try row.text(0) == nasty)
        #expect(try row.integer(1) == .min)
        #expect(try row.double(2) == .pi)
        #expect(try row.boolean(3))
        #expect(row.string(5) == "{1,-2}")
        #expect(row.isNull(6))
        let elements = try connection.execute("SELECT unnest($1::text[])", [.texts([nasty, "", "NULL"])])
        #expect(elements.rows.map { $0.string(0) } == [nasty, "", "NULL"])
    }

    @Test("reading text as an integer is an error; reading null is an error that contains the column")
    func wrongType() throws {
        let row = try #require(try connection.execute("SELECT 'x' AS word, NULL AS nothing").first)
        #expect(throws: PostgresError.self) { try row.integer(0) }
        let error = #expect(throws: PostgresError.self) { try row.text(1) }
        #expect(error?.message.contains("nothing") == true)
    }

    @Test("a failed statement rolls back its transaction, and the connection stays usable")
    func failedStatement() throws {
        try connection.execute("CREATE TABLE t (n integer PRIMARY KEY)")
        let error = #expect(throws: PostgresError.self) {
            try connection.transaction {
                try connection.execute("INSERT INTO t VALUES (1)")
                try connection.execute("INSERT INTO t VALUES (1)")
            }
        }
        #expect(error?.sqlState == "23505")
        #expect(error?.isRetriable == false)
        #expect(try database.number("SELECT count(*) FROM t") == 0)
    }

    @Test("binary COPY stores values of every type, but removes NUL characters from text")
    func binaryCopy() throws {
        try connection.execute(
            "CREATE TABLE t (a integer, b bigint, c float8, d real, e boolean, f timestamptz, g text, h text[])"
        )
        var buffer = CopyBuffer(capacity: 64)
        buffer.appendHeader()
        buffer.beginRow(fieldCount: 8)
        buffer.append(Int32.max)
        buffer.append(Int64.min)
        buffer.append(-0.1)
        buffer.append(real: 1.5)
        buffer.append(true)
        buffer.append(timestampMilliseconds: 1_741_977_135_123)
        buffer.append("zoë \0 \u{1F600}" as String?)
        buffer.appendTextArray(elementCount: 2) {
            $0.append("A" as StaticString)
            $0.append("" as StaticString)
        }
        buffer.beginRow(fieldCount: 8)
        for _ in 0..<7 { buffer.appendNull() }
        buffer.appendTextArray(elementCount: 0) { _ in }
        buffer.appendTrailer()
        try connection.startCopyIn("COPY t FROM STDIN (FORMAT binary)")
        try connection.sendCopyData(&buffer)
        #expect(buffer.bytes.isEmpty)
        #expect(try connection.finishCopyIn() == 2)
        #expect(
            try database.lines("SELECT * FROM t") == [
                "2147483647|-9223372036854775808|-0.1|1.5|t|2025-03-14 18:32:15.123+00|zoë  \u{1F600}|{A,\"\"}",
                "-|-|-|-|-|-|-|{}",
            ])
    }

    @Test("COPY replaces bytes that are not valid UTF-8, and removes NUL")
    func invalidText() throws {
        try connection.execute("CREATE TABLE t (a text)")
        var buffer = CopyBuffer()
        buffer.appendHeader()
        for bytes in [[0x61, 0xFF, 0x62], [0x00], Array(repeating: 0x61, count: 100) + [0xC3]] as [[UInt8]] {
            buffer.beginRow(fieldCount: 1)
            bytes.withUnsafeBytes { buffer.append(text: $0) }
        }
        buffer.appendTrailer()
        try connection.startCopyIn("COPY t FROM STDIN (FORMAT binary)")
        try connection.sendCopyData(&buffer)
        #expect(try connection.finishCopyIn() == 3)
        #expect(try database.lines("SELECT length(a) FROM t") == ["3", "0", "101"])
    }

    @Test("a failed COPY throws, and the connection stays usable")
    func failedCopy() throws {
        #expect(throws: PostgresError.self) { try connection.startCopyIn("COPY nowhere FROM STDIN") }
        try connection.execute("CREATE TABLE t (a integer)")
        var buffer = CopyBuffer()
        buffer.appendHeader()
        buffer.beginRow(fieldCount: 1)
        buffer.append(Int64(1))
        buffer.appendTrailer()
        try connection.startCopyIn("COPY t FROM STDIN (FORMAT binary)")
        try connection.sendCopyData(&buffer)
        let error = #expect(throws: PostgresError.self) { try connection.finishCopyIn() }
        #expect(error?.sqlState == "22P03")
        #expect(try database.number("SELECT 1") == 1)
    }

    @Test("rows are streamed one by one, and an error between rows is thrown")
    func rowStreaming() throws {
        var sum: Int64 = 0
        let columns = try connection.stream(
            "SELECT n, 'x' AS word FROM generate_series(1, $1::integer) n", [.integer(1000)]
        ) { sum += try $0.integer(0) }
        #expect(sum == 500_500)
        #expect(columns.map(\.name) == ["n", "word"])
        #expect(try connection.stream("SELECT 1 AS one WHERE false") { _ in }.map(\.name) == ["one"])
        var count = 0
        #expect(throws: PostgresError.self) {
            try connection.stream("SELECT 1 / (500 - n) FROM generate_series(1, 1000) n") { _ in count += 1 }
        }
        #expect(count == 499)
        #expect(try database.number("SELECT 1") == 1)
    }

    @Test("the first statement on a connection that the server terminated closes it and throws a retriable error")
    func terminatedConnection() throws {
        let ended = try PostgresConnection(PostgresConfiguration(url: database.url))
        try connection.execute("SELECT pg_terminate_backend($1::integer)", [.integer(Int64(ended.backendProcessID))])
        let error = #expect(throws: PostgresError.self) { try ended.execute("SELECT 1") }
        #expect(error?.code == .connectionLost)
        #expect(error?.isRetriable == true)
        #expect(!ended.isOpen)
        #expect(throws: PostgresError.self) { try ended.execute("SELECT 1") }
    }

    @Test("a statement beyond the response timeout throws a retriable error and closes the connection")
    func silentServer() throws {
        let quick = try PostgresConnection(
            PostgresConfiguration(url: database.url, responseTimeout: .milliseconds(300)))
        let error = #expect(throws: PostgresError.self) { try quick.execute("SELECT pg_sleep(30)") }
        #expect(error?.code == .timedOut)
        #expect(error?.isRetriable == true)
        #expect(!quick.isOpen)
    }

    @Test("a missing server is a retriable error; other connection errors are fatal; no error contains the password")
    func connectionErrors() throws {
        func failure(_ url: String) throws -> PostgresError {
            try #require(throws: PostgresError.self) { _ = try PostgresConnection(PostgresConfiguration(url: url)) }
        }
        let noServer = try failure("postgresql://user:hunter2@127.0.0.1:\(try FreePort.find())/x")
        #expect(noServer.isRetriable && !noServer.message.contains("hunter2"))
        let database = try failure(try HistoryDatabase.address(database: "no_such_database"))
        #expect(database.sqlState == "3D000" && !database.isRetriable)
        let user = try failure(try HistoryDatabase.address(database: "postgres", user: "nobody_here:hunter2"))
        #expect(!user.isRetriable && !user.message.contains("hunter2"))
        let malformed = try failure("postgresql://user:hunter2%@host/x")
        #expect(!malformed.isRetriable && !malformed.message.contains("hunter2"))
    }
}
