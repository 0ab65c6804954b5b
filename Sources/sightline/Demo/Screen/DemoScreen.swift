/// What a terminal shows of a run: a pure function of the figures and the terminal's size.
struct DemoScreen: Sendable {
    var phase: String
    var elapsedSeconds: Int
    /// What is counted, each with its name.
    var figures: [(name: String, text: String)]
    var workers: [WorkerRow] = []
    /// Series with a name and the newest value as text, one value per second.
    var series: [(name: String, values: [Int?], latest: String)] = []
    var map = FleetMap()
    /// Drivers who are suspected, the newest first.
    var accusations: [FleetPlaces.Accusation] = []

    /// From this width the map stands beside the figures, otherwise below them.
    private static let wideColumns = 120
    /// How wide the figures are beside a map.
    private static let panelColumns = 80
    /// From this width suspects are listed beside a map that stands below the figures.
    private static let columnsWithList = 72
    private static let listColumns = 38
    /// A map is not drawn with fewer rows.
    private static let fewestMapRows = 6
    private static let mostMapRows = 48

    /// At most `rows` lines of at most `columns` characters.
    func lines(columns: Int, rows: Int, hasColor: Bool) -> [StyledLine] {
        let lines =
            columns >= Self.wideColumns
            ? wide(columns: columns, rows: rows, hasColor: hasColor)
            : narrow(columns: columns, rows: rows, hasColor: hasColor)
        return lines.prefix(max(0, rows)).map { $0.clipped(to: columns) }
    }

    private func wide(columns: Int, rows: Int, hasColor: Bool) -> [StyledLine] {
        let width = Self.panelColumns
        var panel = counted(width) + [""] + workerTable(width)
        let mapRows = min(rows - 1, Self.mostMapRows, (columns - width - 2) / 2)
        guard mapRows >= Self.fewestMapRows else { return [header] + panel }
        let suspects = suspectList(hasColor: hasColor)
        panel += [""] + suspects.prefix(max(1, mapRows - panel.count - 1))
        let drawn = map.lines(columns: columns - width - 2, rows: mapRows, hasColor: hasColor)
        return [header] + StyledLine.beside(panel, width + 2, drawn)
    }

    private func narrow(columns: Int, rows: Int, hasColor: Bool) -> [StyledLine] {
        let above = [header] + counted(columns) + workerTable(columns)
        let hasList = columns >= Self.columnsWithList
        let mapColumns = hasList ? columns - Self.listColumns - 4 : columns - 2
        let mapRows = min(rows - above.count - (hasList ? 0 : 1), Self.mostMapRows, mapColumns / 2)
        guard mapRows >= Self.fewestMapRows else { return above }
        let drawn = map.lines(columns: mapColumns, rows: mapRows, hasColor: hasColor).map { "  " + $0 }
        guard hasList else { return above + drawn + ["  " + FleetMap.legend(hasColor: hasColor)] }
        let suspects = suspectList(hasColor: hasColor).prefix(mapRows)
        return above + StyledLine.beside(drawn, mapColumns + 4, Array(suspects))
    }

    private var header: StyledLine {
        let (minutes, seconds) = elapsedSeconds.quotientAndRemainder(dividingBy: 60)
        var line = StyledLine("Sightline", .strong)
        line.append(" \(minutes):\(seconds < 10 ? "0" : "")\(seconds)  \(phase)")
        return line
    }

    /// Figures and sparklines; a text that is too long goes on below itself.
    private func counted(_ width: Int) -> [StyledLine] {
        let names = max(figures.map(\.name.count).max() ?? 0, series.map(\.name.count).max() ?? 0)
        func name(_ text: String) -> StyledLine { StyledLine("  ") + StyledLine(text, .faint).padded(to: names + 2) }
        var lines: [StyledLine] = []
        for figure in figures {
            let texts = StyledLine.wrapped(figure.text, to: max(10, width - names - 4))
            for (number, text) in texts.enumerated() { lines.append(name(number == 0 ? figure.name : "") + text) }
        }
        let latest = series.map(\.latest.count).max() ?? 0
        for one in series {
            let bars = Sparkline.text(one.values, width: min(60, width - names - latest - 6))
            let value = String(repeating: " ", count: latest - one.latest.count) + one.latest
            lines.append(name(one.name) + StyledLine("\(value)  ") + StyledLine(bars, .lively))
        }
        return lines
    }

    private func workerTable(_ width: Int) -> [StyledLine] {
        guard !workers.isEmpty else { return [] }
        let columns = [
            FittedTable.Column(name: "worker", importance: 9),
            FittedTable.Column(name: "instances", isNumeric: true, importance: 1),
            FittedTable.Column(name: "partitions", isNumeric: true, importance: 2),
            FittedTable.Column(name: "records/s", isNumeric: true, importance: 3),
            FittedTable.Column(name: "lag", isNumeric: true, importance: 4),
        ]
        var table = FittedTable(columns, on: .screen)
        for worker in workers {
            table.rows.append([
                "\(worker.stage)-worker", StyledLine("\(worker.instances)", worker.instances == 0 ? .bad : .plain),
                StyledLine("\(worker.partitions)"), StyledLine(worker.recordsPerSecond.map { "\($0)" } ?? "–"),
                StyledLine("\(worker.lag)", worker.lag == 0 ? .good : .plain),
            ])
        }
        return table.lines(width: width)
    }

    private func suspectList(hasColor: Bool) -> [StyledLine] {
        var lines = ["  " + FleetMap.legend(hasColor: hasColor)]
        guard !accusations.isEmpty else { return lines }
        let columns = [("suspect", 3), ("code", 2), ("action", 1)]
        var table = FittedTable(columns.map { FittedTable.Column(name: $0.0, importance: $0.1) }, on: .screen)
        for accusation in accusations {
            table.rows.append([
                StyledLine(accusation.driverID, .bad), StyledLine(accusation.code), StyledLine(accusation.action),
            ])
        }
        lines += table.lines(width: Self.listColumns)
        return lines
    }
}
