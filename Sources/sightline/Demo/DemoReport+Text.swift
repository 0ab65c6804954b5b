import Model

/// The report for people: each line says what, how much, in which unit, and what that means.
extension DemoReport {
    /// One line of the report; a section's heading has a name alone.
    struct Row: Equatable {
        var name: String
        var figure = ""
        var unit = ""
        var meaning = ""
        /// `true` for a sum that is as it should be, `false` for one that is not.
        var isGood: Bool?
    }

    /// The report in lines of at most `width` columns; each row in one line where there is no width, as in a pipe.
    func lines(width: Int?) -> [StyledLine] {
        var lines = [StyledLine("Report", .strong)] + Self.lines(rows, width: width)
        guard let width else { return lines + audit.text.split(separator: "\n").map { StyledLine(String($0)) } }
        lines += ["", StyledLine(audit.title, .strong)] + Self.lines(auditRows, width: width)
        if audit.differences > 0 {
            // With rules and examples, unclipped: they are to be read to their end.
            lines += audit.text.split(separator: "\n").dropFirst().dropLast().map { StyledLine(String($0)) }
        }
        return lines + [StyledLine(audit.conclusion, audit.differences == 0 ? .good : .bad)]
    }

    private var auditRows: [Row] {
        audit.checks.map { check in
            Row(
                name: check.name, figure: "\(check.compared)", unit: "compared", meaning: check.rule,
                isGood: check.differences == 0)
        }
    }

    /// Every figure of the run.
    var rows: [Row] { locationRows + verdictRows + riderRows + truthRows }

    private var locationRows: [Row] {
        [
            Row(name: "Locations"),
            Row(
                name: "drivers", figure: "\(figures.drivers.count)", unit: "drivers",
                meaning: "sent a location in this run"),
            Row(
                name: "raw records", figure: "\(figures.rawRecords)", unit: "records",
                meaning: "messages on driver.locations.raw"),
            Row(
                name: "fixes", figure: "\(figures.fixes)", unit: "fixes",
                meaning: "measured positions in them that can be read; a message may hold several"),
            Row(
                name: "dead letters", figure: "\(figures.deadLetters)", unit: "records",
                meaning: "messages that cannot be read, kept with the reason"),
        ]
    }

    private var verdictRows: [Row] {
        let total = figures.verdicts.values.reduce(0, +)
        return [Row(name: "Verdicts")]
            + Verdict.allCases.map { verdict in
                Row(
                    name: "\(verdict.code)", figure: "\(figures.verdicts[verdict] ?? 0)", unit: "fixes",
                    meaning: Self.meaning(of: verdict))
            } + [
                Row(
                    name: "all verdicts", figure: "\(total)", unit: "of \(figures.fixes)",
                    meaning: "every fix that can be read has one verdict", isGood: total == figures.fixes)
            ]
    }

    private static func meaning(of verdict: Verdict) -> String {
        switch verdict {
        case .accepted: "believed, smoothed and passed on"
        case .late: "older than a fix of the driver that was judged before"
        case .duplicate: "sent again"
        case .throttled: "more often than the rate allows"
        case .rejected: "not believed: forged, impossible or unusable"
        }
    }

    private var riderRows: [Row] { updateRows + [notificationRow] }

    private var notificationRow: Row {
        guard let notifications else { return Row(name: "notifications", figure: "–", meaning: Self.isUnknown) }
        let titles = notifications.map { "“\($0.title)”" }.joined(separator: ", ")
        return Row(
            name: "notifications", figure: "\(notifications.count)", unit: "texts",
            meaning: "the phone of the rider in the link would show" + (titles.isEmpty ? "" : ": \(titles)"))
    }

    private var updateRows: [Row] {
        var rows = [
            Row(name: "Riders"),
            Row(
                name: "arrival times", figure: "\(figures.etas)", unit: "records",
                meaning: "on trip.etas, each for all stops of a trip"),
            Row(
                name: "rider updates", figure: "\(figures.riderUpdates)", unit: "records",
                meaning: "on rider.updates: positions, arrival times and states that riders are told"),
        ]
        guard let latency, let p50 = latency.percentile(0.5), let p99 = latency.percentile(0.99) else {
            return rows + [Row(name: "latency", figure: "–", meaning: Self.isUnknown)]
        }
        rows.append(
            Row(
                name: "latency p50", figure: "\(p50)", unit: "ms",
                meaning: "half of the rider updates could be read this soon after their location was sent"))
        rows.append(
            Row(name: "latency p99", figure: "\(p99)", unit: "ms", meaning: "and 99 of 100 could be read this soon"))
        return rows
    }

    static let isUnknown = "not measurable here"

    private var truthRows: [Row] {
        [Row(name: "Against the truth")] + smoothingRows + spoofingRows + arrivalRows
    }

    private var spoofingRows: [Row] {
        guard let spoofing else { return [Row(name: "spoofing", figure: "–", meaning: Self.isUnknown)] }
        func row(_ name: String, _ figure: Int, _ meaning: String) -> Row {
            Row(name: name, figure: "\(figure)", unit: "drivers", meaning: meaning)
        }
        return [
            row("cheaters caught", spoofing.caught, "got a warning or rejection that names what they did"),
            row("cheaters missed", spoofing.cheaters - spoofing.caught, "cheated long enough and did not"),
            row(
                "cheaters too brief", spoofing.briefCheaters,
                "made up too few fixes in this run to be judged by: below 3 to 60, by kind"),
            row(
                "honest, left alone", spoofing.honest - spoofing.honestRejected,
                "no fix rejected as forged, and not flagged"),
            row(
                "honest, rejected", spoofing.honestRejected,
                "a fix rejected as forged, or the driver flagged, by mistake" + rejectedDeviceText),
            row("silent", spoofing.silent, "sent nothing in this run"),
            Row(
                name: "all drivers", figure: "\(spoofing.drivers)", unit: "of \(fleetSize)",
                meaning: "each driver of the simulation is in one of the six lines above",
                isGood: spoofing.drivers == fleetSize),
            Row(
                name: "honest fixes lost", figure: "\(honestFixesRejected)", unit: "fixes",
                meaning: "rejected of honest drivers, for whatever reason" + honestLossText),
        ]
    }

    /// The devices of the honest drivers rejected, with the number of drivers.
    private var rejectedDeviceText: String {
        let devices = spoofing?.rejectedDevices.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" } ?? []
        return devices.isEmpty ? "" : ": \(devices.joined(separator: ", "))"
    }

    /// Rejected fixes of honest drivers.
    var honestFixesRejected: Int { figures.spoofing.honestLosses.values.reduce(0, +) }

    /// The reasons of those rejections with their counts, the most frequent first.
    private var honestLossText: String {
        let counts = Reasons.all.map { reason in
            let fixes = figures.spoofing.honestLosses.filter { $0.key.contains(reason.value) }.values.reduce(0, +)
            return (code: "\(reason.code)", fixes: fixes)
        }
        // SUSPECT and FLAGGED mark the driver; they reject no fix.
        let rejecting = counts.filter { $0.fixes > 0 && $0.code != "SUSPECT" && $0.code != "FLAGGED" }
        let text = rejecting.sorted { ($1.fixes, $0.code) < ($0.fixes, $1.code) }.map { "\($0.code) \($0.fixes)" }
        return text.isEmpty ? "" : ": \(text.joined(separator: ", "))"
    }

    private var arrivalRows: [Row] {
        guard let arrivals else { return [Row(name: "arrival promises", figure: "–", meaning: Self.isUnknown)] }
        var rows = [
            Row(
                name: "arrival promises", figure: "\(arrivals.count)", unit: "promises",
                meaning: "arrival times told, of stops that were reached within the run"),
            Row(
                name: "off by", figure: Self.tenths(arrivals.meanAbsoluteErrorSeconds), unit: "s",
                meaning: "mean absolute error of these promises"),
        ]
        if let within = arrivals.withinInterval {
            rows.append(
                Row(
                    name: "inside interval", figure: "\(Int((within * 100).rounded()))", unit: "%",
                    meaning: "of these promises: the arrival lay in the interval told with it"))
        }
        return rows
    }

    static func tenths(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return "\(tenths / 10).\(abs(tenths % 10))"
    }

    /// Narrower than this, a meaning stands below its figure instead of beside it.
    private static let narrowestMeaning = 26

    private static func lines(_ rows: [Row], width: Int?) -> [StyledLine] {
        let names = rows.map(\.name.count).max() ?? 0
        let figures = rows.map(\.figure.count).max() ?? 0
        let units = rows.map(\.unit.count).max() ?? 0
        return rows.flatMap { row -> [StyledLine] in
            guard !row.figure.isEmpty else { return [StyledLine(row.name, .strong)] }
            var line = StyledLine("  ") + StyledLine(row.name).padded(to: names + 2)
            let ink: StyledLine.Ink = row.isGood.map { $0 ? .good : .bad } ?? .lively
            line.append(String(repeating: " ", count: figures - row.figure.count))
            line.append(row.figure, ink)
            line = line + " " + StyledLine(row.unit).padded(to: units)
            let column = names + figures + units + 7
            guard let width else { return [line + StyledLine("  \(row.meaning)")] }
            guard width - column >= narrowestMeaning else {
                return [line.clipped(to: width)]
                    + StyledLine.wrapped(row.meaning, to: max(1, width - 4), .faint).map { "    " + $0 }
            }
            return StyledLine.beside([line], column, StyledLine.wrapped(row.meaning, to: width - column, .faint))
        }
    }
}
