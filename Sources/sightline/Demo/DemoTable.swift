import Model

/// Shows a run as it goes: a screen redrawn in place on a terminal, one line every 5 s in a pipe.
struct DemoTable {
    private let terminal: Terminal
    private let clock = ContinuousClock()
    private let began: ContinuousClock.Instant
    /// Whether latencies mean anything.
    private let isLive: Bool
    /// What lies below the vehicles on the map.
    var streets: FleetMap.Streets?
    /// Where a browser shows the run; `nil` where no gateway runs.
    var mapURL: String?
    private var rideURL: String?
    private var lastAt: ContinuousClock.Instant?
    private var lastRecords = 0
    private var lastTimes = LatencyHistogram()
    private var rates: [Int?] = []
    private var medians: [Int?] = []
    private var tails: [Int?] = []
    private var drawnLines = 0
    private var drawnSize: Terminal.Size?

    init(isLive: Bool, terminal: Terminal) {
        self.isLive = isLive
        self.terminal = terminal
        began = clock.now
    }

    /// Shows from now on where a browser follows one ride as its rider does; at once where nothing is redrawn.
    mutating func announce(rideURL url: String) {
        rideURL = url
        if !terminal.isInteractive { terminal.write("A rider's view: \(url)\n") }
    }

    /// Shows the run, if it is time for that; `workers` is what they say of themselves.
    mutating func show(_ phase: String, workers: [WorkerRow], of follower: TopicFollower<DemoFigures>) {
        let now = clock.now
        if let lastAt, lastAt.duration(to: now) < (terminal.isInteractive ? .seconds(1) : .seconds(5)) { return }
        let seconds = (lastAt ?? began).duration(to: now) / .seconds(1)
        lastAt = now
        var figures = follower.withState { $0.shown }
        let rate = seconds > 0.5 ? Int(Double(figures.rawRecords - lastRecords) / seconds) : 0
        lastRecords = figures.rawRecords
        let elapsed = Int(began.duration(to: now) / .seconds(1))
        let latest = figures.times.since(lastTimes)
        lastTimes = figures.times
        // Lines below each other are read as a series; a screen has one in its sparklines.
        if !terminal.isInteractive { figures.times = latest }
        let rows = Self.rows(figures, rate: rate, isLive: isLive)
        guard terminal.isInteractive else {
            return terminal.write(Self.line(phase, elapsed: elapsed, rows + [("lag", Self.lag(workers))]) + "\n")
        }
        note(latest, rate: rate)
        let links = [("live map", mapURL), ("one ride", rideURL)].compactMap { name, url in
            url.map { (name: name, text: $0) }
        }
        var screen = DemoScreen(phase: phase, elapsedSeconds: elapsed, figures: links + rows)
        screen.workers = workers
        screen.series = series
        screen.map = FleetMap(streets: streets, vehicles: figures.places.vehicles, trail: figures.places.trail)
        screen.accusations = figures.places.newestFirst
        draw(screen)
    }

    private mutating func note(_ latest: LatencyHistogram, rate: Int) {
        rates.append(rate)
        medians.append(latest.percentile(0.5))
        tails.append(latest.percentile(0.99))
    }

    private var series: [(name: String, values: [Int?], latest: String)] {
        func text(_ values: [Int?]) -> String { values.last.flatMap { $0 }.map { "\($0) ms" } ?? "–" }
        let rate = ("locations/s", rates, "\(rates.last.flatMap { $0 } ?? 0)/s")
        return isLive ? [rate, ("latency p50", medians, text(medians)), ("latency p99", tails, text(tails))] : [rate]
    }

    private mutating func draw(_ screen: DemoScreen) {
        let size = terminal.size
        // A line is left free for the cursor.
        let lines = screen.lines(columns: size.columns, rows: size.rows - 1, hasColor: terminal.hasColors)
        // Up over the lines drawn last; after a change of size it is not known where they are.
        let isSameSize = drawnSize.map { $0 == size } ?? true
        let up = isSameSize ? (drawnLines > 0 ? "\u{1b}[\(drawnLines)A" : "") : "\u{1b}[2J\u{1b}[H"
        let text = lines.map { "\r\($0.text(hasColor: terminal.hasColors))\u{1b}[K\n" }.joined()
        terminal.write(up + text + "\u{1b}[J")
        drawnLines = lines.count
        drawnSize = size
    }

    /// What is shown of a run, each with its name; `rate` is in raw records per second.
    static func rows(_ figures: DemoFigures.Shown, rate: Int, isLive: Bool) -> [(name: String, text: String)] {
        let verdicts = Verdict.allCases.map { "\($0.code) \(figures.verdicts[$0] ?? 0)" }.joined(separator: ", ")
        let latency = isLive ? figures.times.summary.map { ", \($0)" } ?? "" : ""
        return [
            ("drivers", "\(figures.drivers)"),
            ("locations", "\(figures.rawRecords), \(rate)/s, \(figures.waiting) without a verdict yet"),
            ("verdicts", verdicts), ("ETAs", "\(figures.etas)"),
            ("riders", "\(figures.riderUpdates) updates\(latency)"),
            ("warnings", "\(figures.warnings), dead letters \(figures.deadLetters)"),
        ]
    }

    /// `location 3, eta 0, …`; a dash before any worker has answered.
    static func lag(_ workers: [WorkerRow]) -> String {
        workers.isEmpty ? "–" : workers.map { "\($0.stage) \($0.lag)" }.joined(separator: ", ")
    }

    static func line(_ phase: String, elapsed: Int, _ rows: [(name: String, text: String)]) -> String {
        "\(elapsed) s: \(phase); " + rows.map { "\($0.name) \($0.text)" }.joined(separator: "; ")
    }
}

extension DemoFigures {
    /// What is shown while the run lasts: a copy of the figures without what only the report needs.
    struct Shown: Sendable {
        var drivers: Int
        var rawRecords: Int
        var waiting: Int
        var verdicts: [Verdict: Int]
        var deadLetters: Int
        var warnings: Int
        var etas: Int
        var riderUpdates: Int
        var times: LatencyHistogram
        var places: FleetPlaces
    }

    var shown: Shown {
        Shown(
            drivers: drivers.count, rawRecords: rawRecords, waiting: waiting, verdicts: verdicts,
            deadLetters: deadLetters, warnings: warnings, etas: etas, riderUpdates: riderUpdates,
            times: latency.times, places: places)
    }
}
