import Foundation

/// What a run is judged by: `sightline audit` over all topics and stores.
struct RunAudit: Encodable {
    /// Verdicts compared.
    private(set) var fixes = 0
    /// Records, rows and keys that are missing or that readers drop as too late.
    private(set) var lost = 0
    /// Records and rows that are there more often than once.
    private(set) var doubled = 0
    /// Records and rows that are missing, doubled, contradicted, out of order or other than they should be.
    private(set) var differences = 0
    /// Records that a zombie or a takeover appended again, which every reader drops.
    private(set) var repeated = 0
    /// Records that the older build of an upgrade made by its own rules, where this build would make others.
    private(set) var madeByOlderRules = 0
    /// Events that clients of rider-gateway received.
    private(set) var received = 0
    /// The audit's own lines, when it has found something.
    private(set) var findings: [String] = []

    /// Of a run that was not finished.
    init() {}

    /// What this build may find when it judges again what an older build judged: by check, the kinds of differences.
    ///
    /// Values of verdicts may differ, and which warnings and updates there are; at most a quarter of these may be
    /// missing. Everything else holds: no fix without its verdict, nothing twice, contradicted or out of order, and the
    /// stores as the topics.
    private static let olderRules: [String: Set<String>] = [
        "verdicts": ["wrong"], "warnings": ["wrong", "missing", "foreign"],
        "rider-updates": ["wrong", "missing", "foreign"],
        // Its history-worker leaves the columns null that it does not know.
        "history": ["wrong"],
    ]

    /// `mixedBuilds`: an older build wrote a part of what was audited.
    init(reportPath: String, text: String, mixedBuilds: Bool = false) throws {
        var report = try Self.report(reportPath)
        if mixedBuilds { madeByOlderRules = report.takeOut(Self.olderRules) }
        fixes = report.checks.first { $0.name == "verdicts" }?.compared ?? 0
        lost = report.count("missing") + report.count("out_of_order")
        doubled = report.count("doubled")
        differences = report.differences
        repeated = report.checks.reduce(0) { $0 + $1.repeated }
        if differences > 0 { findings = text.split(separator: "\n").map(String.init) }
    }

    /// Adds what `sightline-client-audit` says of clients.
    mutating func addReceived(reportPath: String, text: String) throws {
        let report = try Self.report(reportPath)
        received = report.checks.reduce(0) { $0 + $1.compared }
        lost += report.count("missing") + report.count("out_of_order")
        doubled += report.count("doubled")
        differences += report.differences
        if report.differences > 0 { findings += text.split(separator: "\n").map(String.init) }
    }

    /// How many records the clients of such a report have not received yet.
    static func beyondClients(reportPath: String) throws -> Int {
        try report(reportPath).checks.reduce(0) { $0 + ($1.excused?["beyond_client"] ?? 0) }
    }

    private static func report(_ path: String) throws -> Report {
        try JSONDecoder().decode(Report.self, from: Data(contentsOf: URL(fileURLWithPath: path)))
    }

    init(sumOf audits: [RunAudit]) {
        for audit in audits {
            fixes += audit.fixes
            lost += audit.lost
            doubled += audit.doubled
            differences += audit.differences
            repeated += audit.repeated
            received += audit.received
            madeByOlderRules += audit.madeByOlderRules
        }
    }

    var isClean: Bool { fixes > 0 && lost == 0 && doubled == 0 && differences == 0 }

    var text: String {
        "\(fixes) fixes audited" + (received > 0 ? " and \(received) events at clients" : "")
            + ", \(lost) lost, \(doubled) doubled, \(differences) differences "
            + "(\(repeated) repeated, dropped by readers)"
            + (madeByOlderRules > 0 ? "; \(madeByOlderRules) made by the rules of the older build" : "")
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

        /// Takes differences out of the report: of each check named, those of the kinds named.
        /// - Returns: how many those were.
        mutating func takeOut(_ kinds: [String: Set<String>]) -> Int {
            var count = 0
            for index in checks.indices {
                for kind in kinds[checks[index].name] ?? [] {
                    // A worker that writes none of them at all is no other rule.
                    let isLost =
                        kind == "missing" && 4 * (checks[index].differences[kind] ?? 0) > checks[index].compared
                    if isLost { continue }
                    count += checks[index].differences.removeValue(forKey: kind) ?? 0
                }
            }
            differences -= count
            return count
        }

        /// Differences of one kind in all checks.
        func count(_ kind: String) -> Int { checks.reduce(0) { $0 + ($1.differences[kind] ?? 0) } }
    }
}
