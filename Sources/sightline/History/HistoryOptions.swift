import ArgumentParser
import Codec
import HistoryWorker
import Postgres
import Runtime
import Support

/// The option that selects the database.
struct PostgresOptions: ParsableArguments {
    @Option(
        name: .customLong("postgres-url"),
        help: ArgumentHelp(
            "The database; POSTGRES_URL by default.", valueName: "postgresql://user@host:port/database"))
    var url: String?

    func validate() throws {
        if let url, try PostgresConfiguration(url: url).hasPassword {
            throw ValidationError(
                "--postgres-url must not contain a password, which every user of this machine could read; "
                    + "set POSTGRES_URL, or POSTGRES_URL_FILE to a file that contains it.")
        }
    }

    /// Connects without a response timeout.
    func connect() throws -> PostgresConnection { try PostgresConnection(configuration()) }

    /// Returns the configuration of the option; without the option, the one of `settings`.
    func configuration(
        _ settings: () throws -> Settings = { try Settings(for: .commandLine) }
    ) throws -> PostgresConfiguration {
        let configuration = try url.map { PostgresConfiguration(url: $0) } ?? settings().postgresConfiguration
        return configuration.forCommand("sightline-cli")
    }

    /// Connects to a database that has the tables of the history.
    func connectToHistory() throws -> PostgresConnection {
        let connection = try connect()
        try Migrator.requireCurrent(connection)
        return connection
    }
}

/// A period whose bounds Postgres has parsed.
struct Period {
    /// Start as text of type `timestamptz`.
    let from: PostgresValue
    /// End (exclusive) as text of type `timestamptz`.
    let to: PostgresValue
    /// Text for messages: `from 2025-03-14 18:00:00Z to 2025-03-14 19:00:00Z`.
    let text: String

    /// Returns the message for an empty result; `subject` begins the sentence, such as `No fix of drv_1`.
    func empty(_ subject: String) -> String {
        "\(subject) \(text). For a longer period, use --last 7d, or --from and --to."
    }
}

/// The period of a query.
struct PeriodOptions: ParsableArguments {
    @Option(help: "Start of the period, such as 2025-03-14T18:00:00Z, today or yesterday.")
    var from: String?

    @Option(help: "End of the period (exclusive); now by default.")
    var to: String?

    @Option(
        help: "Length of the period before its end, such as 90s, 30min, 2h or 7d; 24h without --from.",
        transform: PeriodLength.init)
    var last: PeriodLength?

    func validate() throws {
        if from != nil, last != nil { throw ValidationError("Give --from or --last, not both.") }
    }

    /// Parses the bounds in Postgres.
    /// - Throws: `ValidationError` for a period that ends before it begins.
    func bounds(_ connection: PostgresConnection) throws -> Period {
        let result = try connection.execute(
            """
            SELECT p.earliest, p.latest, p.earliest < p.latest, date_trunc('second', p.earliest),
                date_trunc('second', p.latest)
            FROM (
                SELECT coalesce($1::timestamptz, e.latest - $3::interval) AS earliest, e.latest
                FROM (SELECT coalesce($2::timestamptz, now()) AS latest) e) p
            """, [.optional(from), .optional(to), .text("\((last ?? .day).seconds) seconds")])
        guard let row = result.first else { throw ValidationError("Postgres cannot parse --from or --to.") }
        let shown = (from: TableRows.utc(try row.text(3)), to: TableRows.utc(try row.text(4)))
        guard try row.boolean(2) else {
            throw ValidationError(
                "The period is from \(shown.from) to \(shown.to): --from must be before \(to == nil ? "now" : "--to").")
        }
        return Period(
            from: .text(try row.text(0)), to: .text(try row.text(1)), text: "from \(shown.from) to \(shown.to)")
    }
}

/// The output format of a query.
enum HistoryFormat: String, CaseIterable, ExpressibleByArgument {
    /// Aligned columns for people.
    case table
    /// An array of objects.
    case json
    /// An object per line.
    case ndjson
    /// RFC 4180, with a line of column names.
    case csv
    /// A feature per row, or one LineString for the path of a trip.
    case geojson
    /// GPX 1.1: a track per driver.
    case gpx

    /// Whether the format needs a result with columns for positions.
    var needsPositions: Bool { self == .geojson || self == .gpx }

    func writer(to output: TextOutput, _ text: ResultText) -> RowWriter {
        switch self {
        case .table: TableRows(output, text, width: Terminal.current().width)
        case .json: JSONRows(output, isArray: true)
        case .ndjson: JSONRows(output, isArray: false)
        case .csv: CSVRows(output)
        case .geojson: GeoJSONRows(output)
        case .gpx: GPXRows(output)
        }
    }
}

/// Texts around the rows of a result.
struct ResultText {
    /// The noun for one row; `rows` is the plural, by default with an s.
    var row = "row"
    var rows: String?
    /// Message printed instead of an empty result.
    var empty = "Nothing was found."

    /// Returns an id as text for a message; "this id" for an invalid one, which could affect the terminal.
    static func id(_ id: String) -> String {
        ByteSlice.withBytes(of: id) { Identifier.isValid($0) } ? id : "this id"
    }
}

struct FormatOptions: ParsableArguments {
    @Option(help: "Output format.")
    var format = HistoryFormat.table

    /// - Throws: a `ValidationError` for formats that need positions.
    func requireNoPositions() throws {
        if format.needsPositions {
            throw ValidationError("The result has no positions: use --format table, json, ndjson or csv.")
        }
    }

    /// Streams the rows of a query to standard output.
    ///
    /// For an empty result, a table consists of a message; other formats also print the message to standard error.
    func write(
        _ query: String, _ parameters: [PostgresValue], over connection: PostgresConnection, _ text: ResultText
    ) throws {
        let output = try TextOutput()
        let writer = format.writer(to: output, text)
        var count = 0
        let columns = try connection.stream(query, parameters) { row in
            if count == 0 { writer.begin(row.columns) }
            count += 1
            try writer.write(row)
        }
        if count == 0 { writer.begin(columns) }
        try writer.end()
        try output.flush()
        if count == 0, format != .table { StandardError.write(text.empty + "\n") }
    }
}
