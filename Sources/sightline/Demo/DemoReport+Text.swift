import Domain

/// The report as text: each line has a name, a figure, its unit and its meaning.
extension DemoReport {
    /// One line of the report; a heading has only a name.
    struct Row: Equatable {
        var name: String
        var figure = ""
        var unit = ""
        var meaning = ""
        /// Whether a checked sum is correct; `nil` for other figures.
        var isGood: Bool?
    }

    /// Returns the report in lines of at most `width` columns; `nil` prints each row in one line.
    func lines(width: Int?) -> [StyledLine] {
        var lines = [StyledLine("Report", .strong)] + Self.lines(rows, width: width)
        guard let width else { return lines + audit.text.split(separator: "\n").map { StyledLine(String($0)) } }
        lines += ["", StyledLine(audit.title, .strong)] + Self.lines(auditRows, width: width)
        if audit.differences > 0 {
            // The differences with rules and examples are not clipped.
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

    /// All figures of the run.
    var rows: [Row] { locationRows + verdictRows + riderRows + truthRows }

    private var locationRows: [Row] {
        [
            Row(name: "Locations"),
            Row(
                name: "drivers", figure: "\(figures.drivers.count)", unit: "drivers",
                meaning: "sent at least one location in this run"),
            Row(
                name: "raw records", figure: "\(figures.rawRecords)", unit: "records",
                meaning: "messages on driver.locations.raw"),
            Row(
                name: "fixes", figure: "\(figures.fixes)", unit: "fixes",
                meaning: "readable positions in them; a message may contain several"),
            Row(
                name: "dead letters", figure: "\(figures.deadLetters)", unit: "records",
                meaning: "unreadable messages, stored with the reason"),
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
                    meaning: "every readable fix has one verdict", isGood: total == figures.fixes)
            ]
    }

    private static func meaning(of verdict: Verdict) -> String {
        switch verdict {
        case .accepted: "plausible, smoothed and published"
        case .late: "older than a fix of the driver that was already processed"
        case .duplicate: "sent again"
        case .throttled: "above the rate limit of the driver"
        case .rejected: "forged, impossible or unusable"
        }
    }

    private var riderRows: [Row] { updateRows + [notificationRow] }

    private var notificationRow: Row {
        guard let notifications else { return Row(name: "notifications", figure: "–", meaning: Self.notMeasured) }
        let titles = notifications.map { "“\($0.title)”" }.joined(separator: ", ")
        return Row(
            name: "notifications", figure: "\(notifications.count)", unit: "messages",
            meaning: "push notifications for the ride in the link" + (titles.isEmpty ? "" : ": \(titles)"))
    }

    private var updateRows: [Row] {
        var rows = [
            Row(name: "Riders"),
            Row(
                name: "arrival times", figure: "\(figures.etas)", unit: "records",
                meaning: "on trip.etas, each with all stops of a trip"),
            Row(
                name: "rider updates", figure: "\(figures.riderUpdates)", unit: "records",
                meaning: "on rider.updates: positions, arrival times and trip states"),
        ]
        guard let latency, let p50 = latency.percentile(0.5), let p99 = latency.percentile(0.99) else {
            return rows + [Row(name: "latency", figure: "–", meaning: Self.notMeasured)]
        }
        rows.append(
            Row(
                name: "latency p50", figure: "\(p50)", unit: "ms",
                meaning: "half of the rider updates were readable within this time after their location was sent"))
        rows.append(
            Row(name: "latency p99", figure: "\(p99)", unit: "ms", meaning: "99 % were readable within this time"))
        return rows
    }

    static let notMeasured = "not measured in this run"

    private var truthRows: [Row] {
        [Row(name: "Ground truth")] + smoothingRows + spoofingRows + arrivalRows
    }

    private var spoofingRows: [Row] {
        guard let spoofing else { return [Row(name: "spoofing", figure: "–", meaning: Self.notMeasured)] }
        func row(_ name: String, _ figure: Int, _ meaning: String) -> Row {
            Row(name: name, figure: "\(figure)", unit: "drivers", meaning: meaning)
        }
        return [
            row("cheaters caught", spoofing.caught, "got a warning or rejection with a matching code"),
            row("cheaters missed", spoofing.cheaters - spoofing.caught, "sent enough forged fixes, but got none"),
            row(
                "cheaters too brief", spoofing.briefCheaters,
                "sent too few forged fixes to be detectable (3 to 60, by kind)"),
            row(
                "honest, accepted", spoofing.honest - spoofing.honestRejected,
                "no fix rejected as forged, and not flagged"),
            row(
                "honest, rejected", spoofing.honestRejected,
                "false positives: a fix rejected as forged, or flagged" + rejectedDeviceText),
            row("silent", spoofing.silent, "sent nothing in this run"),
            Row(
                name: "all drivers", figure: "\(spoofing.drivers)", unit: "of \(fleetSize)",
                meaning: "every simulated driver is in one of the six lines above",
                isGood: spoofing.drivers == fleetSize),
            Row(
                name: "honest fixes lost", figure: "\(honestFixesRejected)", unit: "fixes",
                meaning: "fixes of honest drivers rejected for any reason" + honestLossText),
        ]
    }

    /// Devices of rejected honest drivers, with counts.
    private var rejectedDeviceText: String {
        let devices = spoofing?.rejectedDevices.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" } ?? []
        return devices.isEmpty ? "" : ": \(devices.joined(separator: ", "))"
    }

    /// Rejected fixes of honest drivers.
    var honestFixesRejected: Int { figures.spoofing.honestLosses.values.reduce(0, +) }

    /// Reasons of these rejections with counts, the most frequent first.
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
        guard let arrivals else { return [Row(name: "ETA predictions", figure: "–", meaning: Self.notMeasured)] }
        var rows = [
            Row(
                name: "ETA predictions", figure: "\(arrivals.count)",
                meaning: "for stops that were reached within the run"),
            Row(
                name: "ETA error", figure: Self.tenths(arrivals.meanAbsoluteErrorSeconds), unit: "s",
                meaning: "mean absolute error of these predictions"),
        ]
        if let within = arrivals.withinInterval {
            rows.append(
                Row(
                    name: "in ETA interval", figure: "\(Int((within * 100).rounded()))", unit: "%",
                    meaning: "of arrivals were within the predicted interval"))
        }
        return rows
    }

    static func tenths(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return "\(tenths / 10).\(abs(tenths % 10))"
    }

    /// If fewer columns are left, the meaning is printed below the figure.
    private static let narrowestMeaning = 26

    private static func lines(_ rows: [Row], width: Int?) -> [StyledLine] {
        let names = rows.map(\.name.count).max() ?? 0
        let figures = rows.map(\.figure.count).max() ?? 0
        let units = rows.map(\.unit.count).max() ?? 0
        return rows.flatMap { row -> [StyledLine] in
            guard !row.figure.isEmpty else { return [StyledLine(row.name, .strong)] }
            var line = StyledLine("  ") + StyledLine(row.name).padded(to: names + 2)
            let ink: StyledLine.Ink = row.isGood.map { $0 ? .good : .bad } ?? .accent
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
