import Domain

/// The progress of a run, shown as a table that is redrawn on a terminal, a line every 5 s in a pipe.
struct DemoTable {
    private let terminal: Terminal
    private let clock = ContinuousClock()
    private let began: ContinuousClock.Instant
    /// Whether timestamps of raw records are send times, so that latencies are meaningful.
    private let isLive: Bool
    /// URL of the live map; `nil` without a gateway.
    private let mapURL: String?
    private var rideURL: String?
    private var lastAt: ContinuousClock.Instant?
    private var lastRecords = 0
    private var lastTimes = LatencyHistogram()
    private var drawnLines = 0
    private var drawnSize: Terminal.Size?

    init(isLive: Bool, mapURL: String?, terminal: Terminal) {
        self.isLive = isLive
        self.mapURL = mapURL
        self.terminal = terminal
        began = clock.now
    }

    /// Adds the link to a rider's view of one ride; in a pipe, prints it.
    mutating func announce(rideURL url: String) {
        rideURL = url
        if !terminal.isInteractive { terminal.write("A rider's view: \(url)\n") }
    }

    /// Shows the progress, at most every second on a terminal and every 5 s in a pipe.
    mutating func show(_ phase: String, workers: [WorkerRow], of follower: TopicFollower<DemoFigures>) {
        let now = clock.now
        if let lastAt, lastAt.duration(to: now) < (terminal.isInteractive ? .seconds(1) : .seconds(5)) { return }
        let seconds = (lastAt ?? began).duration(to: now) / .seconds(1)
        lastAt = now
        let isInteractive = terminal.isInteractive
        let rows: [(name: String, text: String)]
        (rows, lastRecords, lastTimes) = follower.withState { [isLive, lastRecords, lastTimes] figures in
            let rate = seconds > 0.5 ? Int(Double(figures.rawRecords - lastRecords) / seconds) : 0
            // In a pipe, each line covers only the time since the previous one.
            let times = isInteractive ? figures.latency.times : figures.latency.times.since(lastTimes)
            let rows = Self.rows(figures, times, rate: rate, isLive: isLive)
            return (rows, figures.rawRecords, figures.latency.times)
        }
        let elapsed = Int(began.duration(to: now) / .seconds(1))
        guard isInteractive else {
            return terminal.write(Self.line(phase, elapsed: elapsed, rows + [("lag", Self.lag(workers))]) + "\n")
        }
        let links = [("live map", mapURL), ("one ride", rideURL)].compactMap { name, url in
            url.map { (name: name, text: $0) }
        }
        draw(Self.table(phase, elapsed: elapsed, links + rows, workers))
    }

    /// Draws `lines` over the previously drawn ones.
    private mutating func draw(_ lines: [StyledLine]) {
        let size = terminal.size
        // One line is left for the cursor.
        let lines = lines.prefix(max(0, size.rows - 1)).map { $0.clipped(to: size.columns) }
        // After a change of size, the screen is cleared, because the position of the old lines is unknown.
        let isSameSize = drawnSize.map { $0 == size } ?? true
        let up = isSameSize ? (drawnLines > 0 ? "\u{1b}[\(drawnLines)A" : "") : "\u{1b}[2J\u{1b}[H"
        let text = lines.map { "\r\($0.text(hasColor: terminal.hasColors))\u{1b}[K\n" }.joined()
        terminal.write(up + text + "\u{1b}[J")
        drawnLines = lines.count
        drawnSize = size
    }

    /// Returns the table for a terminal: figures, and a row per worker.
    static func table(
        _ phase: String, elapsed: Int, _ rows: [(name: String, text: String)], _ workers: [WorkerRow]
    ) -> [StyledLine] {
        let (minutes, seconds) = elapsed.quotientAndRemainder(dividingBy: 60)
        var header = StyledLine("Sightline", .strong)
        header.append(" \(minutes):\(seconds < 10 ? "0" : "")\(seconds)  \(phase)")
        let names = rows.map(\.name.count).max() ?? 0
        let figures = rows.map { StyledLine("  ") + StyledLine($0.name, .faint).padded(to: names + 2) + "\($0.text)" }
        guard !workers.isEmpty else { return [header] + figures }
        let columns = ["instances", "partitions", "records/s", "lag"].map {
            TextTable.Column(name: $0, isNumeric: true)
        }
        var table = TextTable([TextTable.Column(name: "worker")] + columns)
        for worker in workers {
            table.add([
                "\(worker.stage)-worker", "\(worker.instances)", "\(worker.partitions)",
                worker.recordsPerSecond.map { "\($0)" } ?? "–", "\(worker.lag)",
            ])
        }
        return [header] + figures + [""] + table.lines(width: nil).map { StyledLine("  \($0)") }
    }

    /// Returns the figures with their names; `rate` is in raw records per second.
    static func rows(
        _ figures: DemoFigures, _ times: LatencyHistogram, rate: Int, isLive: Bool
    ) -> [(name: String, text: String)] {
        let verdicts = Verdict.allCases.map { "\($0.code) \(figures.verdicts[$0] ?? 0)" }.joined(separator: ", ")
        let latency = isLive ? times.summary.map { ", \($0)" } ?? "" : ""
        return [
            ("drivers", "\(figures.drivers.count)"),
            ("locations", "\(figures.rawRecords), \(rate)/s, \(figures.waiting) without a verdict yet"),
            ("verdicts", verdicts), ("ETAs", "\(figures.etas)"),
            ("riders", "\(figures.riderUpdates) updates\(latency)"),
            ("warnings", "\(figures.warnings), dead letters \(figures.deadLetters)"),
        ]
    }

    /// Returns the lag as `location 3, eta 0, …`; a dash until a worker has responded.
    static func lag(_ workers: [WorkerRow]) -> String {
        workers.isEmpty ? "–" : workers.map { "\($0.stage) \($0.lag)" }.joined(separator: ", ")
    }

    static func line(_ phase: String, elapsed: Int, _ rows: [(name: String, text: String)]) -> String {
        "\(elapsed) s: \(phase); " + rows.map { "\($0.name) \($0.text)" }.joined(separator: "; ")
    }
}
