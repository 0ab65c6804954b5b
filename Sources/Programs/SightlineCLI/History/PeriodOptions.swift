import ArgumentParser
import Postgres

/// The period that a question is about.
struct PeriodOptions: ParsableArguments {
    @Option(help: "Beginning of the period, such as 2025-03-14T18:00:00Z, today or yesterday.")
    var from: String?

    @Option(help: "End of the period, itself not part of it; now when it is not given.")
    var to: String?

    @Option(help: "Length of the period up to its end, such as 90s, 30min, 2h or 7d; 24h when no beginning is given.")
    var last: String?

    func validate() throws {
        if from != nil, last != nil { throw ValidationError("Give --from or --last, not both.") }
    }

    /// Beginning and end, as parameters of type `timestamptz`.
    func bounds(_ connection: PostgresConnection) throws -> (from: PostgresValue, to: PostgresValue) {
        let result = try connection.execute(
            """
            SELECT p.earliest, p.latest, p.earliest < p.latest FROM (
                SELECT coalesce($1::timestamptz, e.latest - $3::interval) AS earliest, e.latest
                FROM (SELECT coalesce($2::timestamptz, now()) AS latest) e) p
            """, [.optional(from), .optional(to), .text(last ?? "24h")])
        guard let row = result.first, try row.boolean(2) else {
            throw ValidationError("The period ends before it begins: --from comes before --to.")
        }
        return (.text(try row.text(0)), .text(try row.text(1)))
    }
}
