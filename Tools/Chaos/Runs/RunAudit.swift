import Foundation

/// Result of `sightline audit` and `sightline-client-audit` over a run.
struct RunAudit: Encodable {
    /// Verdicts compared.
    private(set) var fixes = 0
    /// Records, rows and keys that are missing or out of order; readers drop records that are out of order.
    private(set) var lost = 0
    /// Records and rows that exist more than once.
    private(set) var duplicates = 0
    /// Differences of all kinds, including lost and duplicate records.
    private(set) var differences = 0
    /// Records that a zombie or a takeover appended again, which readers drop.
    private(set) var repeated = 0
    /// Events received by clients of rider-gateway.
    private(set) var received = 0
    /// Output lines of the audits that found differences.
    private(set) var findings: [String] = []

    /// Creates the audit of an unfinished run.
    init() {}

    /// Reads a report of `sightline audit`; `text` is its output.
    init(reportPath: String, text: String) throws {
        let report = try Self.report(reportPath)
        fixes = report.checks.first { $0.name == "verdicts" }?.compared ?? 0
        repeated = report.checks.reduce(0) { $0 + $1.repeated }
        add(report, text)
    }

    /// Adds a report of `sightline-client-audit`.
    mutating func addReceived(reportPath: String, text: String) throws {
        let report = try Self.report(reportPath)
        received = report.checks.reduce(0) { $0 + $1.compared }
        add(report, text)
    }

    private mutating func add(_ report: Report, _ text: String) {
        lost += report.count("missing") + report.count("out_of_order")
        duplicates += report.count("duplicate")
        differences += report.differences
        if report.differences > 0 { findings += text.split(separator: "\n").map(String.init) }
    }

    init(sumOf audits: [RunAudit]) {
        for audit in audits {
            fixes += audit.fixes
            lost += audit.lost
            duplicates += audit.duplicates
            differences += audit.differences
            repeated += audit.repeated
            received += audit.received
        }
    }

    /// Returns the number of records that the clients of a report have not received yet.
    static func beyondClients(reportPath: String) throws -> Int {
        try report(reportPath).checks.reduce(0) { $0 + ($1.excused?["beyond_client"] ?? 0) }
    }

    private static func report(_ path: String) throws -> Report {
        try JSONDecoder().decode(Report.self, from: Data(contentsOf: URL(fileURLWithPath: path)))
    }

    var isClean: Bool { fixes > 0 && lost == 0 && duplicates == 0 && differences == 0 }

    var text: String {
        "\(fixes) fixes audited" + (received > 0 ? " and \(received) events at clients" : "")
            + ", \(lost) lost, \(duplicates) duplicated, \(differences) differences "
            + "(\(repeated) repeated, dropped by readers)"
    }

    private struct Report: Decodable {
        struct Check: Decodable {
            var name: String
            var compared: Int
            var repeated: Int
            var differences: [String: Int]
            var excused: [String: Int]?
        }

        var differences: Int
        var checks: [Check]

        /// Returns the number of differences of one kind in all checks.
        func count(_ kind: String) -> Int { checks.reduce(0) { $0 + ($1.differences[kind] ?? 0) } }
    }
}
