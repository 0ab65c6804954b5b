import Foundation

/// What a run is judged by: the counts of the load, and `sightline audit` over all topics and stores.
struct RunAudit: Encodable {
    private(set) var fixes = 0
    private(set) var lost = 0
    private(set) var doubled = 0
    /// Records and rows that are missing, doubled, out of order or other than they should be.
    private(set) var differences = 0
    /// Records that a zombie or a takeover appended again, which every reader drops.
    private(set) var repeated = 0
    /// The audit's own lines, when it has found something.
    private(set) var findings: [String] = []

    /// Of a run that was not finished.
    init() {}

    init(summary: Load.Summary, reportPath: String, text: String) throws {
        let report = try JSONDecoder().decode(Report.self, from: Data(contentsOf: URL(fileURLWithPath: reportPath)))
        fixes = summary.fixes
        lost = summary.lost
        doubled = summary.doubled
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
            var repeated: Int
        }

        var differences: Int
        var checks: [Check]
    }
}
