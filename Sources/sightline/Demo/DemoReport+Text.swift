import Domain
import Simulation

/// The report as text: each line has a name, a figure, its unit and its meaning.
extension DemoReport {
    /// One line of the report; a heading has only a name.
    struct Row: Equatable {
        var name: String
        var figure = ""
        var unit = ""
        var meaning = ""
        /// Whether a checked figure is correct; `nil` for figures that are not checked.
        var isGood: Bool?

        init(_ heading: String) { name = heading }

        /// Creates a row of a figure; `nil` if it was not measured.
        init(_ name: String, _ figure: (some CustomStringConvertible)?, _ unit: String, _ meaning: String) {
            self.name = name
            self.figure = figure.map { "\($0)" } ?? "–"
            self.unit = figure == nil ? "" : unit
            self.meaning = figure == nil ? "not measured in this run" : meaning
        }

        /// Creates a row of a sum that must equal `expected`.
        init(_ name: String, sum: Int, of expected: Int, _ meaning: String) {
            self.init(name, sum, "of \(expected)", meaning)
            isGood = sum == expected
        }

        fileprivate static func missing(_ name: String) -> Row { Row(name, Int?.none, "", "") }
    }

    /// Returns the report in lines of at most `width` columns; `nil` prints each row in one line.
    func lines(width: Int?) -> [StyledLine] {
        var lines = [StyledLine("Report", .strong)] + Self.lines(rows, width: width)
        guard let width else { return lines + audit.text.split(separator: "\n").map { StyledLine(String($0)) } }
        let checks = audit.checks.map { check in
            var row = Row(check.name, check.compared, "compared", check.rule)
            row.isGood = check.differences == 0
            return row
        }
        lines += ["", StyledLine(audit.title, .strong)] + Self.lines(checks, width: width)
        if audit.differences > 0 {
            // Differences are printed with rules and examples, in lines of any length.
            lines += audit.text.split(separator: "\n").dropFirst().dropLast().map { StyledLine(String($0)) }
        }
        return lines + [StyledLine(audit.conclusion, audit.differences == 0 ? .good : .bad)]
    }

    /// All figures of the run.
    var rows: [Row] {
        [
            Row("Locations"),
            Row("drivers", figures.drivers.count, "drivers", "sent at least one location in this run"),
            Row("raw records", figures.rawRecords, "records", "messages on driver.locations.raw"),
            Row("fixes", figures.fixes, "fixes", "readable positions in them; a message may contain several"),
            Row("dead letters", figures.deadLetters, "records", "unreadable messages, stored with the reason"),
            Row("Verdicts"),
        ]
            + Verdict.allCases.map { Row("\($0.code)", figures.verdicts[$0] ?? 0, "fixes", Self.meaning(of: $0)) }
            + [
                Row(
                    "all verdicts", sum: figures.verdicts.values.reduce(0, +), of: figures.fixes,
                    "every readable fix has one verdict"),
                Row("Riders"),
                Row("arrival times", figures.etas, "records", "on trip.etas, each with all stops of a trip"),
                Row(
                    "rider updates", figures.riderUpdates, "records",
                    "on rider.updates: positions, arrival times and trip states"),
            ] + latencyRows + [notificationRow, Row("Ground truth")] + smoothingRows + spoofingRows + arrivalRows
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

    private var notificationRow: Row {
        let titles = (notifications ?? []).map { "“\($0.title)”" }.joined(separator: ", ")
        return Row(
            "notifications", notifications?.count, "messages",
            "push notifications for the ride in the link" + (titles.isEmpty ? "" : ": \(titles)"))
    }

    private var latencyRows: [Row] {
        guard let latency else { return [.missing("latency")] }
        return [
            Row(
                "latency p50", latency.percentile(0.5), "ms",
                "half of the rider updates were readable within this time after their location was sent"),
            Row("latency p99", latency.percentile(0.99), "ms", "99 % were readable within this time"),
        ]
    }

    /// Errors before and after smoothing, by receiver and surroundings.
    private var smoothingRows: [Row] {
        guard let errors = figures.accuracy.rootMeanSquares else { return [.missing("smoothing")] }
        return [
            Row(
                "error reported", errors.raw.rounded(toDecimals: 1), "m",
                "RMS distance between reported and true positions of honest drivers"),
            Row(
                "error smoothed", errors.smoothed.rounded(toDecimals: 1), "m",
                "RMS distance after smoothing, \(Self.change(errors)) than reported"),
        ]
            + figures.accuracy.groups.map { conditions, count, errors in
                let isPhone = conditions.receiver == .phone
                let isOpen = conditions.environment == .openRoad
                return Row(
                    "\(isPhone ? "phones" : "raw"), \(isOpen ? "open road" : "canyon")",
                    errors.smoothed.rounded(toDecimals: 1), "m",
                    "smoothed, \(Self.change(errors)) than \(errors.raw.rounded(toDecimals: 1)) m reported: "
                        + "\(pluralize(count, "fix", "fixes")) of \(isPhone ? "phones that filter" : "raw receivers") "
                        + (isOpen ? "on open roads" : "in street canyons"))
            }
    }

    /// Returns the difference of the smoothed error in whole percent.
    private static func change(_ errors: AccuracyScore.RootMeanSquares) -> String {
        guard errors.raw > 0 else { return "0 % less" }
        let percent = Int(((errors.smoothed / errors.raw - 1) * 100).rounded())
        return percent > 0 ? "\(percent) % more" : "\(-percent) % less"
    }

    private var spoofingRows: [Row] {
        guard let spoofing else { return [.missing("spoofing")] }
        return [
            Row("cheaters caught", spoofing.caught, "drivers", "got a warning or rejection with a matching code"),
            Row(
                "cheaters missed", spoofing.cheaters - spoofing.caught, "drivers",
                "enough forged fixes, but no matching code"),
            Row(
                "cheaters too brief", spoofing.briefCheaters, "drivers",
                "sent too few forged fixes to be detectable (3 to 60, by kind)"),
            Row(
                "honest, accepted", spoofing.honest - spoofing.honestRejected, "drivers",
                "no fix rejected as forged, and not flagged"),
            Row(
                "honest, rejected", spoofing.honestRejected, "drivers",
                "false positives: flagged, or with a fix rejected as forged"
                    + Self.list(spoofing.rejectedDevices.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" })),
            Row("silent", spoofing.silent, "drivers", "sent nothing in this run"),
            Row(
                "all drivers", sum: spoofing.drivers, of: fleetSize,
                "every simulated driver is in one of the six lines above"),
            Row(
                "honest fixes lost", honestFixesRejected, "fixes",
                "fixes of honest drivers rejected for any reason" + Self.list(honestLosses)),
        ]
    }

    private static func list(_ counts: [String]) -> String {
        counts.isEmpty ? "" : ": \(counts.joined(separator: ", "))"
    }

    /// Number of rejected fixes of honest drivers.
    var honestFixesRejected: Int { figures.spoofing.honestLosses.values.reduce(0, +) }

    /// Reasons of ``honestFixesRejected`` with counts, the most frequent first.
    private var honestLosses: [String] {
        let counts = Reasons.all.map { reason in
            let fixes = figures.spoofing.honestLosses.filter { $0.key.contains(reason.value) }.values.reduce(0, +)
            return (code: "\(reason.code)", fixes: fixes)
        }
        // SUSPECT and FLAGGED mark the driver and are not reasons for a rejection.
        return counts.filter { $0.fixes > 0 && $0.code != "SUSPECT" && $0.code != "FLAGGED" }
            .sorted { ($1.fixes, $0.code) < ($0.fixes, $1.code) }.map { "\($0.code) \($0.fixes)" }
    }

    private var arrivalRows: [Row] {
        guard let arrivals else { return [.missing("ETA predictions")] }
        return [
            Row("ETA predictions", arrivals.count, "", "for stops that were reached within the run"),
            Row(
                "ETA error", arrivals.meanAbsoluteErrorSeconds.rounded(toDecimals: 1), "s",
                "mean absolute error of these predictions"),
        ]
            + (arrivals.withinInterval.map { within in
                let percent = Int((within * 100).rounded())
                return [Row("in ETA interval", percent, "%", "of arrivals were within the predicted interval")]
            } ?? [])
    }

    /// Minimum columns for a meaning; with fewer, it is printed below the figure.
    private static let narrowestMeaning = 26

    private static func lines(_ rows: [Row], width: Int?) -> [StyledLine] {
        let names = rows.map(\.name.count).max() ?? 0
        let figures = rows.map(\.figure.count).max() ?? 0
        let units = rows.map(\.unit.count).max() ?? 0
        let column = names + figures + units + 7
        return rows.flatMap { row -> [StyledLine] in
            guard !row.figure.isEmpty else { return [StyledLine(row.name, .strong)] }
            var line = StyledLine("  \(row.name.padded(to: names + 2))\(String.blanks(figures - row.figure.count))")
            line.append(row.figure, row.isGood.map { $0 ? .good : .bad } ?? .accent)
            line.append(" \(row.unit.padded(to: units))")
            guard let width else { return [line + StyledLine("  \(row.meaning)")] }
            func meaning(indent: Int) -> [StyledLine] {
                TextTable.wrapped(row.meaning, width: max(1, width - indent)).map { text in
                    StyledLine(.blanks(indent)) + StyledLine(text, .faint)
                }
            }
            guard width - column >= narrowestMeaning else { return [line.clipped(to: width)] + meaning(indent: 4) }
            let first = TextTable.wrapped(row.meaning, width: width - column)[0]
            return [line.padded(to: column) + StyledLine(first, .faint)] + meaning(indent: column).dropFirst()
        }
    }
}
