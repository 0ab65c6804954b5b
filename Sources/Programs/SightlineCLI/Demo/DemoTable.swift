import Glibc
import Tracking

/// Shows a run as it goes: a table redrawn in place on a terminal, one line every 5 s in a pipe.
struct DemoTable {
    private let isTerminal = isatty(1) != 0
    private let clock = ContinuousClock()
    private let began: ContinuousClock.Instant
    /// Whether latencies mean anything.
    private let isLive: Bool
    private var lastAt: ContinuousClock.Instant?
    private var lastRecords = 0
    private var drawnLines = 0

    init(isLive: Bool) {
        self.isLive = isLive
        began = clock.now
    }

    /// Shows the run, if it is time for that; `lag` is what the workers say of themselves.
    mutating func show(_ phase: String, lag: String?, of follower: TopicFollower<DemoFigures>) {
        let now = clock.now
        if let lastAt, lastAt.duration(to: now) < (isTerminal ? .seconds(1) : .seconds(5)) { return }
        let seconds = (lastAt ?? began).duration(to: now) / .seconds(1)
        lastAt = now
        let before = lastRecords
        let (records, rows) = follower.withState { [isLive] figures in
            let rate = seconds > 0.5 ? Int(Double(figures.rawRecords - before) / seconds) : 0
            return (figures.rawRecords, Self.rows(figures, rate: rate, isLive: isLive, lag: lag))
        }
        lastRecords = records
        let elapsed = Int(began.duration(to: now) / .seconds(1))
        guard isTerminal else { return write(Self.line(phase, elapsed: elapsed, rows) + "\n") }
        let lines = Self.table(phase, elapsed: elapsed, rows)
        // Up over the lines drawn last, and each line to its end.
        let up = drawnLines > 0 ? "\u{1b}[\(drawnLines)A" : ""
        write(up + lines.map { "\r\($0)\u{1b}[K\n" }.joined())
        drawnLines = lines.count
    }

    /// What is shown of a run, each with its name; `rate` is in raw records per second.
    static func rows(_ figures: DemoFigures, rate: Int, isLive: Bool, lag: String?) -> [(name: String, text: String)] {
        let verdicts = Verdict.allCases.map { "\($0.code) \(figures.verdicts[$0] ?? 0)" }.joined(separator: ", ")
        let latency = isLive ? figures.latency.times.summary.map { ", \($0)" } ?? "" : ""
        return [
            ("drivers", "\(figures.drivers.count)"),
            ("locations", "\(figures.rawRecords), \(rate)/s, \(figures.waiting) without a verdict yet"),
            ("verdicts", verdicts), ("ETAs", "\(figures.etas)"),
            ("riders", "\(figures.riderUpdates) updates\(latency)"),
            ("warnings", "\(figures.warnings), dead letters \(figures.deadLetters)"), ("lag", lag ?? "–"),
        ]
    }

    static func table(_ phase: String, elapsed: Int, _ rows: [(name: String, text: String)]) -> [String] {
        let (minutes, seconds) = elapsed.quotientAndRemainder(dividingBy: 60)
        return ["Sightline \(minutes):\(seconds < 10 ? "0" : "")\(seconds)  \(phase)"] + lines(rows)
    }

    static func line(_ phase: String, elapsed: Int, _ rows: [(name: String, text: String)]) -> String {
        "\(elapsed) s: \(phase); " + rows.map { "\($0.name) \($0.text)" }.joined(separator: "; ")
    }

    /// Rows below one another, indented and aligned.
    static func lines(_ rows: [(name: String, text: String)]) -> [String] {
        let width = rows.map(\.name.count).max() ?? 0
        return rows.map { row in
            "  \(row.name)\(String(repeating: " ", count: width - row.name.count))  \(row.text)"
        }
    }

    private func write(_ text: String) {
        print(text, terminator: "")
        fflush(nil)
    }
}

extension LatencyHistogram {
    /// `p50 12 ms, p99 40 ms`; `nil` before there is anything.
    var summary: String? {
        guard let p50 = percentile(0.5), let p99 = percentile(0.99) else { return nil }
        return "p50 \(p50) ms, p99 \(p99) ms"
    }
}
