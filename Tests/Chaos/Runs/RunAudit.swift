import Foundation

/// What a run is judged by: `sightline audit` over all topics and stores.
struct RunAudit: Encodable {
    /// Verdicts compared.
    private(set) var fixes = 0
    /// Records, rows and keys that are missing or that readers drop as too late.
    private(set) var lost = 0
    /// Records and rows that are there more often than once.
    private(set) var doubled = 0
    /// Records and rows that are missing, doubled, out of order or other than they should be.
    private(set) var differences = 0
    /// Records that a zombie or a takeover appended again, which every reader drops.
    private(set) var repeated = 0
    /// The audit's own lines, when it has found something.
    private(set) var findings: [String] = []

    /// Of a run that was not finished.
    init() {}

    init(reportPath: String, text: String) throws {
        let report = try JSONDecoder().decode(Report.self, from: Data(contentsOf: URL(fileURLWithPath: reportPath)))
        fixes = report.checks.first { $0.name == "verdicts" }?.compared ?? 0
        lost = report.count("missing") + report.count("out_of_order")
        doubled = report.count("doubled")
        differences = report.differences
        repeated = report.checks.reduce(0) { $0 + $1.repeated }
        if differences > 0 { findings = text.split(separator: "\n").map(String.init) }
    }

    init(sumOf audits: [RunAudit]) {
        for audit in audits {
            fixes += audit.fixes
            lost += audit.lost
            doubled += audit.doubled
            differences += audit.differences
            repeated += audit.repeated
        }
    }

    var isClean: Bool { fixes > 0 && lost == 0 && doubled == 0 && differences == 0 }

    var text: String {
        "\(fixes) fixes audited, \(lost) lost, \(doubled) doubled, \(differences) differences "
            + "(\(repeated) repeated, dropped by readers)"
    }

    private struct Report: Decodable {
        struct Check: Decodable {
            var name: String
            var compared: Int
            var repeated: Int
            var differences: [String: Int]
        }

        var differences: Int
        var checks: [Check]

        /// Differences of one kind in all checks.
        func count(_ kind: String) -> Int { checks.reduce(0) { $0 + ($1.differences[kind] ?? 0) } }
    }
}
