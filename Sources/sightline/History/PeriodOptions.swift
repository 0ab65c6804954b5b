import ArgumentParser
import Postgres

/// The period that a question is about.
struct PeriodOptions: ParsableArguments {
    @Option(help: "Beginning of the period, such as 2025-03-14T18:00:00Z, today or yesterday.")
    var from: String?

    @Option(help: "End of the period, itself not part of it; now when it is not given.")
    var to: String?

    @Option(
        help: "Length of the period up to its end, such as 90s, 30min, 2h or 7d; 24h when no beginning is given.",
        transform: PeriodLength.init)
    var last: PeriodLength?

    func validate() throws {
        if from != nil, last != nil { throw ValidationError("Give --from or --last, not both.") }
    }

    /// Asks Postgres what the bounds are.
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
        guard let row = result.first else { throw ValidationError("Postgres does not know these times.") }
        let shown = (from: TableRows.utc(try row.text(3)), to: TableRows.utc(try row.text(4)))
        guard try row.boolean(2) else {
            throw ValidationError(
                "The period ends before it begins: it is from \(shown.from) to \(shown.to); --from comes before "
                    + "\(to == nil ? "now" : "--to").")
        }
        return Period(
            from: .text(try row.text(0)), to: .text(try row.text(1)), text: "from \(shown.from) to \(shown.to)")
    }
}
