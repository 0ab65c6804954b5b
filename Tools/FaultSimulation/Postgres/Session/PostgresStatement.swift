/// Statement that the simulated server understands: those of `history-worker` and of its progress.
///
/// Texts are compared as a whole, apart from white space, because the implementation is right for this text only. Every
/// other statement is a syntax error, so that a changed statement is noticed. Clauses that decide about correctness
/// (`FOR UPDATE`, `ON CONFLICT`, the assignments of the update) are read from the text.
enum PostgresStatement {
    case begin
    case commit
    case rollback
    case set(name: String, value: String)
    case one
    case hasMigrations
    case migrations
    case checksum
    case isReadOnly
    case time
    case dayBounds
    case ensureDays
    case maintain
    case readProgress(columns: [String], locks: Bool)
    case insertProgress(ignoresConflicts: Bool)
    case updateProgress([ProgressAssignment])
    case countProgress
    case mayDeleteProgress
    case deleteProgress
    case endFrozenWriters
    case keptEvents
    case tripSamples
    case driverSamples
    case copy(table: String, columns: [String])

    init?(_ text: String) {
        let text = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        guard
            let found = Self.fixed(text) ?? Self.set(text) ?? Self.readProgress(text) ?? Self.insertProgress(text)
                ?? Self.updateProgress(text) ?? Self.copy(text)
        else { return nil }
        self = found
    }

    /// Whether a standby rejects the statement; `nil` if it accepts it.
    var writingCommand: String? {
        switch self {
        case .readProgress(_, true): "SELECT FOR UPDATE"
        case .insertProgress: "INSERT"
        case .updateProgress: "UPDATE"
        case .deleteProgress: "DELETE"
        case .copy: "COPY FROM"
        case .ensureDays, .maintain: "CREATE TABLE"
        case .begin, .commit, .rollback, .set, .one, .hasMigrations, .migrations, .checksum, .isReadOnly, .time,
            .dayBounds, .readProgress, .countProgress, .mayDeleteProgress, .endFrozenWriters, .keptEvents,
            .tripSamples, .driverSamples:
            nil
        }
    }

    private static func fixed(_ text: String) -> PostgresStatement? {
        switch text {
        case "BEGIN": .begin
        case "COMMIT": .commit
        case "ROLLBACK": .rollback
        case "SELECT 1": .one
        case "SELECT to_regclass('schema_migrations') IS NOT NULL": .hasMigrations
        case "SELECT version, checksum FROM schema_migrations": .migrations
        case "SELECT encode(sha256(convert_to($1, 'UTF8')), 'hex')": .checksum
        case "SELECT current_setting('transaction_read_only') = 'on'": .isReadOnly
        case "SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint": .time
        case PostgresStatementText.dayBounds: .dayBounds
        case PostgresStatementText.ensureDays: .ensureDays
        case "SELECT maintain_history_partitions($1, $2)": .maintain
        case "SELECT count(*) FROM sink_progress WHERE topic = ANY($1)": .countProgress
        case "SELECT has_table_privilege('sink_progress', 'DELETE')": .mayDeleteProgress
        case PostgresStatementText.deleteProgress: .deleteProgress
        case PostgresStatementText.endFrozenWriters: .endFrozenWriters
        case PostgresStatementText.keptEvents: .keptEvents
        case PostgresStatementText.tripSamples: .tripSamples
        case PostgresStatementText.driverSamples: .driverSamples
        default: nil
        }
    }

    private static func set(_ text: String) -> PostgresStatement? {
        guard text.hasPrefix("SET "), let range = text.firstRange(of: " = ") else { return nil }
        let name = text[..<range.lowerBound].dropFirst(4)
        let value = text[range.upperBound...].filter { $0 != "'" }
        return .set(name: String(name), value: value)
    }

    private static func readProgress(_ text: String) -> PostgresStatement? {
        guard text.hasPrefix("SELECT "), let range = text.firstRange(of: PostgresStatementText.progressCondition)
        else { return nil }
        let columns = ProgressAssignment.split(String(text[..<range.lowerBound].dropFirst("SELECT ".count)))
        guard columns.allSatisfy({ $0.allSatisfy { $0.isLowercase || $0 == "_" } }) else { return nil }
        switch text[range.upperBound...] {
        case "", " ORDER BY topic, kafka_partition": return .readProgress(columns: columns, locks: false)
        case " ORDER BY topic, kafka_partition FOR UPDATE": return .readProgress(columns: columns, locks: true)
        default: return nil
        }
    }

    private static func insertProgress(_ text: String) -> PostgresStatement? {
        switch text {
        case PostgresStatementText.insertProgress: .insertProgress(ignoresConflicts: false)
        case PostgresStatementText.insertProgress + " ON CONFLICT DO NOTHING": .insertProgress(ignoresConflicts: true)
        default: nil
        }
    }

    private static func updateProgress(_ text: String) -> PostgresStatement? {
        let start = "UPDATE sink_progress c SET "
        guard text.hasPrefix(start), text.hasSuffix(PostgresStatementText.updateSource) else { return nil }
        let list = text.dropFirst(start.count).dropLast(PostgresStatementText.updateSource.count)
        // The simulation does not store the time of an update.
        let parts = ProgressAssignment.split(String(list)).filter { $0 != "updated_at = now()" }
        let assignments = parts.compactMap { ProgressAssignment($0) }
        return assignments.count == parts.count ? .updateProgress(assignments) : nil
    }

    private static func copy(_ text: String) -> PostgresStatement? {
        guard text.hasPrefix("COPY "), text.hasSuffix(") FROM STDIN (FORMAT binary)"),
            let open = text.firstIndex(of: "("), let close = text.firstIndex(of: ")")
        else { return nil }
        return .copy(
            table: text[..<open].dropFirst("COPY ".count).trimmed,
            columns: ProgressAssignment.split(String(text[text.index(after: open)..<close])))
    }
}
