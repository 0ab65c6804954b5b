import Glibc
import Tracking

/// What a run looks like at one moment.
struct LiveFigures: Sendable {
    var drivers = 0
    var rawRecords = 0
    var verdicts: [Verdict: Int] = [:]
    var etas = 0
    var riderUpdates = 0
    var warnings = 0
    var deadLetters = 0
    /// Fixes sent that have no outcome yet.
    var waiting = 0
    var p50: Int?
    var p99: Int?

    init(_ ledger: RunLedger) {
        drivers = ledger.drivers.count
        rawRecords = ledger.rawRecords
        verdicts = ledger.verdicts
        etas = ledger.etaRecords
        riderUpdates = ledger.riderUpdates
        warnings = ledger.warnings
        deadLetters = ledger.deadLetters + ledger.tripDeadLetters
        waiting = ledger.outcomes.missing
        p50 = ledger.latency.percentile(0.5)
        p99 = ledger.latency.percentile(0.99)
    }
}

/// Shows a run as it goes: a table redrawn in place on a terminal, one line every 5 s in a pipe.
struct LiveTable {
    private let isTerminal = isatty(1) != 0
    private let clock = ContinuousClock()
    private let began: ContinuousClock.Instant
    private let isLive: Bool
    private var lastAt: ContinuousClock.Instant?
    private var lastRecords = 0
    private var drawnLines = 0

    /// - Parameter isLive: whether latencies mean anything.
    init(isLive: Bool) {
        self.isLive = isLive
        began = clock.now
    }

    /// Shows the run, if it is time for that.
    mutating func show(_ phase: String, lag: String?, _ figures: () -> LiveFigures) {
        let now = clock.now
        let interval: Duration = isTerminal ? .seconds(1) : .seconds(5)
        if let lastAt, lastAt.duration(to: now) < interval { return }
        let figures = figures()
        let seconds = ReplayPlan.seconds((lastAt ?? began).duration(to: now))
        let rate = seconds > 0.5 ? Int(Double(figures.rawRecords - lastRecords) / seconds) : 0
        lastAt = now
        lastRecords = figures.rawRecords
        let elapsed = Int(ReplayPlan.seconds(began.duration(to: now)))
        if isTerminal {
            draw(Self.table(phase, elapsed: elapsed, rate: rate, figures, latency: latency(figures), lag: lag))
        } else {
            write(Self.line(phase, elapsed: elapsed, rate: rate, figures, latency: latency(figures), lag: lag) + "\n")
        }
    }

    /// Leaves the table as it stands; what is printed next comes below it.
    mutating func finish() { drawnLines = 0 }

    private func latency(_ figures: LiveFigures) -> String {
        guard isLive, let p50 = figures.p50, let p99 = figures.p99 else { return "–" }
        return "p50 \(p50) ms, p99 \(p99) ms"
    }

    private mutating func draw(_ lines: [String]) {
        // Up over the lines drawn last, and each line to its end.
        let up = drawnLines > 0 ? "\u{1b}[\(drawnLines)A" : ""
        write(up + lines.map { "\r\($0)\u{1b}[K\n" }.joined())
        drawnLines = lines.count
    }

    private static func verdicts(_ figures: LiveFigures) -> String {
        Verdict.allCases.map { "\($0.code) \(figures.verdicts[$0] ?? 0)" }.joined(separator: ", ")
    }

    static func table(
        _ phase: String, elapsed: Int, rate: Int, _ figures: LiveFigures, latency: String, lag: String?
    ) -> [String] {
        let minutes = elapsed / 60
        let seconds = elapsed % 60
        return [
            "Sightline \(minutes):\(seconds < 10 ? "0" : "")\(seconds)  \(phase)",
            "  drivers     \(figures.drivers)",
            "  locations   \(figures.rawRecords), \(rate)/s, \(figures.waiting) without a verdict yet",
            "  verdicts    \(verdicts(figures))",
            "  ETAs        \(figures.etas)",
            "  riders      \(figures.riderUpdates) updates, \(latency)",
            "  warnings    \(figures.warnings), dead letters \(figures.deadLetters)",
            "  lag         \(lag ?? "–")",
        ]
    }

    static func line(
        _ phase: String, elapsed: Int, rate: Int, _ figures: LiveFigures, latency: String, lag: String?
    ) -> String {
        "\(elapsed) s: \(phase); \(figures.drivers) drivers, \(figures.rawRecords) locations (\(rate)/s), "
            + "verdicts \(verdicts(figures)), \(figures.etas) ETAs, \(figures.riderUpdates) rider updates (\(latency)), "
            + "\(figures.warnings) warnings, \(figures.deadLetters) dead letters, lag \(lag ?? "–")"
    }

    private func write(_ text: String) {
        print(text, terminator: "")
        fflush(nil)
    }
}
