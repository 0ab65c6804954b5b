import CPQ
import Glibc
import Support

/// Blocking connection to Postgres, for one thread at a time.
///
/// The handle is in libpq's non-blocking mode and this class waits on the socket, which limits
/// calls to ``PostgresConfiguration/responseTimeout``. After an error that leaves the protocol
/// state unknown, the connection is closed (``isOpen`` is false) and must be replaced.
package final class PostgresConnection {
    private var handle: OpaquePointer?
    package let configuration: PostgresConfiguration
    private let password: String?

    /// Connects to the first available host of the URL.
    /// - Throws: ``PostgresError``, retriable if the server is unavailable.
    package init(_ configuration: PostgresConfiguration) throws {
        self.configuration = configuration
        password = try ConnectionString.password(in: configuration.url)
        let handle = Self.withKeywords(of: configuration) { PQconnectdbParams($0, $1, 1) }
        guard let handle, PQstatus(handle) == CONNECTION_OK else {
            let error = ConnectionFailure.error(failed: handle, configuration: configuration, password: password)
            PQfinish(handle)
            throw error
        }
        self.handle = handle
        // By default, libpq prints notices (NOTICE: relation exists, skipping) to standard error.
        _ = PQsetNoticeReceiver(handle, { _, _ in }, nil)
        _ = PQsetnonblocking(handle, 1)
        do {
            try execute("SET timezone = 'UTC'")
            for setting in configuration.sessionSettings { try execute(setting) }
        } catch {
            close()
            throw error
        }
    }

    deinit { PQfinish(handle) }

    /// Closes the connection; the server rolls back an open transaction.
    package func close() {
        PQfinish(handle)
        handle = nil
    }

    package var isOpen: Bool { handle.map { PQstatus($0) == CONNECTION_OK } ?? false }

    /// The process id of the backend, as in `pg_stat_activity`; 0 if closed.
    package var backendProcessID: Int32 { handle.map { PQbackendPID($0) } ?? 0 }

    static func withKeywords<Result>(
        of configuration: PostgresConfiguration,
        _ body: (UnsafePointer<UnsafePointer<CChar>?>, UnsafePointer<UnsafePointer<CChar>?>) -> Result
    ) -> Result {
        let parameters = configuration.parameters
        return withCStrings(parameters.map { $0.keyword }) { keywords in
            withCStrings(parameters.map { $0.value }) { values in body(keywords, values) }
        }
    }

    /// Returns the handle; throws if the connection is closed.
    func usableHandle() throws -> OpaquePointer {
        guard let handle else {
            throw PostgresError(code: .connectionLost, message: "The Postgres connection is closed.", isRetriable: true)
        }
        return handle
    }

    var deadline: ContinuousClock.Instant? { configuration.responseTimeout.map { ContinuousClock.now + $0 } }

    /// Sends the data that libpq has queued.
    func flush(_ handle: OpaquePointer, until deadline: ContinuousClock.Instant?) throws {
        while true {
            let status = PQflush(handle)
            if status == 0 { return }
            guard status > 0 else { throw lost(handle) }
            // The server may stop reading until its output (an error, a notice) is read.
            let ready = try wait(handle, for: Int16(POLLIN | POLLOUT), until: deadline)
            if ready & Int16(POLLIN) != 0, PQconsumeInput(handle) == 0 { throw lost(handle) }
        }
    }

    /// Returns the next result of the current statement; `nil` after the last one.
    ///
    /// `check`: called during waits; its errors close the connection.
    func nextResult(
        _ handle: OpaquePointer, until deadline: ContinuousClock.Instant?, _ check: () throws -> Void = {}
    ) throws -> OpaquePointer? {
        while PQisBusy(handle) == 1 {
            _ = try wait(handle, for: Int16(POLLIN), until: deadline, check)
            if PQconsumeInput(handle) == 0 { throw lost(handle) }
        }
        return PQgetResult(handle)
    }

    /// Reads all results; returns the last one or throws the first error.
    func finalResult(_ handle: OpaquePointer, until deadline: ContinuousClock.Instant?) throws -> PostgresResult {
        var last: PostgresResult?
        var failure: PostgresError?
        while let result = try nextResult(handle, until: deadline) {
            switch PQresultStatus(result) {
            case PGRES_FATAL_ERROR, PGRES_BAD_RESPONSE, PGRES_NONFATAL_ERROR:
                failure = failure ?? error(of: result)
                PQclear(result)
            default:
                last = PostgresResult(owning: result)
            }
            if let failure, PQstatus(handle) != CONNECTION_OK {
                close()
                throw failure
            }
        }
        if let failure { throw failure }
        guard let last else { throw lost(handle) }
        return last
    }

    /// Interval of `check` calls during a wait, in milliseconds.
    private static let checkMilliseconds: Int64 = 250

    /// Waits until the socket is ready.
    /// - Throws: also at `deadline`, after closing the connection, because a response may follow.
    private func wait(
        _ handle: OpaquePointer, for events: Int16, until deadline: ContinuousClock.Instant?,
        _ check: () throws -> Void = {}
    ) throws -> Int16 {
        var descriptor = pollfd(fd: PQsocket(handle), events: events, revents: 0)
        while true {
            let left = deadline.map { max(0, ($0 - ContinuousClock.now).millisecondsRoundedUp) }
            let count = poll(&descriptor, 1, Int32(min(left ?? Self.checkMilliseconds, Self.checkMilliseconds)))
            if count > 0 { return descriptor.revents }
            if count < 0 && errno != EINTR { throw lost(handle) }
            do {
                try check()
            } catch {
                close()
                throw error
            }
            if count == 0, left == 0 {
                close()
                throw PostgresError(
                    code: .timedOut, message: "Postgres did not answer in time; the connection was closed.",
                    isRetriable: true)
            }
        }
    }

    /// Closes the connection and returns the error.
    func lost(_ handle: OpaquePointer) -> PostgresError {
        let reason = ConnectionFailure.sentence(PQerrorMessage(handle), hiding: password)
        close()
        return PostgresError(
            code: .connectionLost, message: "The Postgres connection was lost: \(reason).", isRetriable: true)
    }

    /// Returns the error of a failed result, or of a connection that broke.
    func error(of result: OpaquePointer) -> PostgresError {
        func field(_ code: Character) -> String? {
            PQresultErrorField(result, Int32(code.asciiValue ?? 0)).map { String(cString: $0) }
        }
        guard let state = field("C") else {
            let reason = ConnectionFailure.sentence(PQresultErrorMessage(result), hiding: password)
            return PostgresError(
                code: .connectionLost, message: "The Postgres connection was lost: \(reason).", isRetriable: true)
        }
        var primary = ConnectionFailure.hide(password, in: field("M") ?? "")
        if let hint = field("H") { primary += ". \(ConnectionFailure.hide(password, in: hint))" }
        return PostgresError.server(primary, sqlState: state)
    }
}
