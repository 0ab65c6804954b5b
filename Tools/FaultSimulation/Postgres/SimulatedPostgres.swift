import CFaultSimulation
import HistoryWorker

/// A Postgres server with the tables of `history-worker`.
///
/// It executes the statements of ``PostgresStatement`` with Postgres' rules: transactions at READ COMMITTED, locks of
/// tables and rows with their time limits, `COPY` in the binary format, and commits that a crash may lose.
final class SimulatedPostgres {
    /// What happens to a new connection.
    enum Availability {
        case up
        /// The port is closed.
        case down
        /// The server answers that it is starting.
        case starting
        /// The server has no free connection.
        case full
    }

    static let progressTable = "sink_progress"

    unowned let world: World
    let schema = PostgresSchema()
    let locks = PostgresLocks()
    var store = PostgresStore()
    /// The open sessions in the order of their process ids.
    private(set) var sessions: [PostgresSession] = []
    var availability = Availability.up
    /// Whether the server is a standby, which rejects all writes.
    var isReadOnly = false
    /// Whether a `COPY` fails because the disk is full.
    var isDiskFull = false
    /// Virtual time until which no statement is executed.
    var stalledUntil: Int64 = 0
    /// Numbers of restarts and other changes, whose timers end with the next change.
    var changeNumber = 0
    private var nextProcessID: Int32 = 4001
    private var links: [String: Link] = [:]
    private var statements: [String: PostgresStatement] = [:]
    private var layouts: [String: CopyLayout] = [:]

    /// Creates the server of `world`, which is empty and has all migrations.
    init(_ world: World) { self.world = world }

    /// Returns the network between the server and all processes of this name.
    func link(of process: String) -> Link {
        if let link = links[process] { return link }
        let link = Link()
        links[process] = link
        return link
    }

    /// All links in the order of their processes' names.
    var allLinks: [Link] { links.keys.sorted().compactMap { links[$0] } }

    func trace(_ line: @autoclosure () -> String) { world.trace.add("postgres: \(line())") }

    /// Unix time in microseconds.
    var wallMicroseconds: Int64 { sl_start_milliseconds * 1000 + world.now / 1000 }

    /// Answers a connection request that has arrived.
    /// - Returns: the session, if the server accepts the client.
    func accept(_ connection: Connection, _ client: LibpqClient) -> PostgresSession? {
        switch availability {
        case .up: break
        case .down:
            connection.respond { client.receiveRefusal() }
            return nil
        case .starting:
            reject(connection, client, PostgresFailure("57P03", "the database system is starting up"))
            return nil
        case .full:
            reject(connection, client, PostgresFailure("53300", "sorry, too many clients already"))
            return nil
        }
        let session = PostgresSession(self, nextProcessID, connection, client)
        nextProcessID += 1
        sessions.append(session)
        trace("\(session.processID) serves \(session.name)")
        world.schedule(after: stall) {
            connection.respond { client.receive([.authenticated(processID: session.processID)]) }
        }
        return session
    }

    private func reject(_ connection: Connection, _ client: LibpqClient, _ failure: PostgresFailure) {
        connection.respond { client.receive([.reply(.failure(failure, isFatal: true))]) }
        connection.respond { client.receiveEnd() }
    }

    func remove(_ session: PostgresSession) { sessions.removeAll { $0 === session } }

    /// Nanoseconds until the end of a stall.
    var stall: Int64 { max(0, stalledUntil - world.now) }

    /// Draws the time that a request takes, in nanoseconds.
    func serviceTime(of request: PostgresSession.Request) -> Int64 {
        let usual = 30_000 + Int64(world.random.exponential(mean: 120_000))
        // A row has about 250 bytes, and takes 4 µs.
        guard case .copyData(let bytes) = request else { return stall + usual }
        return stall + usual + Int64(bytes.count) * 16
    }

    func statement(_ text: String) -> PostgresStatement? {
        if let known = statements[text] { return known }
        let statement = PostgresStatement(text)
        statements[text] = statement
        return statement
    }

    func layout(of table: PostgresSchema.Table, _ columns: [String]) throws(PostgresFailure) -> CopyLayout {
        let name = "\(table.name) \(columns)"
        if let known = layouts[name] { return known }
        let layout = try CopyLayout(table, columns: columns)
        layouts[name] = layout
        return layout
    }

    func commit(_ transaction: PostgresTransaction, of session: PostgresSession, isSynchronous: Bool) {
        guard transaction.hasChanges else { return }
        store.commit(transaction, at: world.now, isSynchronous: isSynchronous)
        trace("\(session.processID) commits \(Self.summary(of: transaction))")
    }

    private static func summary(of transaction: PostgresTransaction) -> String {
        let offsets = transaction.progress.keys.sorted().map { key in
            let row = transaction.progress[key] ?? nil
            return "\(key.topic)-\(key.partition)@\(row.map { "\($0.nextOffset)" } ?? "deleted")"
        }
        let days = transaction.createdDays.count
        let counts = ["\(transaction.rows.count) rows"] + (days > 0 ? ["\(days) day partitions"] : [])
        return (counts + offsets).joined(separator: " ")
    }

    /// Returns whether another transaction has an uncommitted change of a row of `sink_progress`.
    func hasChange(of key: ProgressKey, byOtherThan transaction: PostgresTransaction) -> Bool {
        sessions.contains {
            guard let other = $0.transaction, other !== transaction else { return false }
            return other.progress[key] != nil
        }
    }

    static func defaultPartition(of table: String) -> String { "\(table)_default" }
}

/// Migrations, which are all applied.
extension SimulatedPostgres {
    var migrations: PostgresReply {
        .rows(
            [("version", PostgresType.integer.objectID), ("checksum", PostgresType.text.objectID)],
            Migration.all.map { ["\($0.version)", Self.checksum(of: $0.script)] })
    }

    /// Returns a checksum in place of SHA-256; the program only compares checksums that the server computed.
    static func checksum(of text: String) -> String {
        let hash = text.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        let digits = String(hash, radix: 16)
        return String(repeating: "0", count: 64 - digits.count) + digits
    }
}
