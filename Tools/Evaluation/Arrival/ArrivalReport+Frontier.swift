import SightlineCLI

extension ArrivalReport {
    /// A row for each choice of the told time; none where they were not compared.
    func frontier(_ summary: ArrivalSummary) -> [TextTable] {
        guard !summary.frontier.isEmpty else { return [] }
        var table = TextTable(
            title: "\(summary.name): times told earlier, by the share of the way from the median to the lower bound",
            columns: [
                "share", "MAE", "benchmark", "bands 0–3", "3–6", "6–12", "12–30", "wobble",
                "Caltrans after departure", "catch after departure",
            ])
        for choice in summary.frontier {
            let whole = choice.whole
            let name = choice.earlyShare == 0 ? "median" : Self.decimal(choice.earlyShare, 1)
            var cells = [
                choice.isStandard ? "\(name) (told)" : name, Self.whole(whole.errors.meanAbsoluteSeconds),
                Self.percent(whole.benchmark),
            ]
            cells += whole.transitAuthorityShares.map(Self.percent)
            cells += [
                whole.wobbleMinutes.map { Self.decimal($0, 2) } ?? "–",
                Self.percent(choice.departed.accurateMinutesShare), Self.percent(choice.departed.catchLikelihood),
            ]
            table.add(cells)
        }
        return [table]
    }

    /// The same as lines over the share of vehicles caught.
    func frontierPlot(_ summary: ArrivalSummary) -> LinePlot {
        func line(_ name: String, _ figure: (HeadlineChoice) -> Double?) -> LinePlot.Series {
            LinePlot.Series(
                name: name,
                points: summary.frontier.compactMap { choice in
                    guard let caught = choice.departed.catchLikelihood, let right = figure(choice) else { return nil }
                    return LinePlot.Point(x: caught * 100, y: right * 100)
                })
        }
        return LinePlot(
            title: "What times told earlier gain and cost, \(summary.name)",
            x: .init("vehicles caught after departure, per cent"), y: .init("predictions that are right, per cent"),
            series: [
                line("benchmark") { $0.whole.benchmark },
                line("Caltrans, after departure") { $0.departed.accurateMinutesShare },
                line("band of 0–3 min") { $0.whole.transitAuthorityShares.first ?? nil },
            ])
    }
}
