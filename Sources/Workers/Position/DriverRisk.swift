import Codec
import Domain
import Redis
import Support

/// Spoofing risk of a driver, from one verdict.
struct DriverRisk: Equatable {
    /// Risk in thousandths, 0 to 1,000 (the precision on the wire); -1 if unknown.
    var thousandths: Int16
    var isFlagged: Bool
    /// Whether the driver is a suspect and not flagged.
    var isSuspect = false
    /// The signals that contribute most; empty while the risk is small.
    var signals: Signals = []

    static let unknown = DriverRisk(thousandths: -1, isFlagged: false)

    init(thousandths: Int16, isFlagged: Bool) {
        self.thousandths = thousandths
        self.isFlagged = isFlagged
    }

    init(_ record: borrowing VerdictRecord) {
        let reasons = record.reasons
        thousandths = Int16((record.risk * 1000).rounded())
        isFlagged = reasons.contains(.flagged)
        isSuspect = reasons.contains(.suspect)
        signals = record.riskSignals
    }

    /// Parses the fields `risk`, `is_flagged` and `is_suspect` of a driver's hash; ``unknown`` if they are missing.
    init(risk: String?, isFlagged: String?, isSuspect: String?) {
        guard let risk = risk.flatMap({ Double($0) }), (0...1).contains(risk), let isFlagged else {
            self = .unknown
            return
        }
        thousandths = Int16((risk * 1000).rounded())
        self.isFlagged = isFlagged == "1"
        self.isSuspect = isSuspect == "1"
    }

    /// Whether the driver is flagged, suspect or neither in both risks.
    func hasSameFlags(as other: DriverRisk) -> Bool {
        isFlagged == other.isFlagged && isSuspect == other.isSuspect
    }

    /// Whether the driver is excluded from the nearest-driver sets.
    func isExcluded(from drivers: NearestDrivers) -> Bool {
        drivers.excludes(isFlagged: isFlagged, isSuspect: isSuspect)
    }

    /// Number of arguments that ``addFields(event:to:)`` adds.
    static let fieldArguments = 10

    /// Adds the risk fields of a driver's hash; `event` is that of the verdict.
    func addFields(event: EventID, to commands: inout RedisCommands) {
        commands.add("risk")
        commands.add(Double(thousandths) / 1000, decimals: 3)
        commands.add("is_flagged")
        commands.add(isFlagged ? "1" : "0")
        commands.add("is_suspect")
        commands.add(isSuspect ? "1" : "0")
        commands.add("risk_signals")
        commands.add { writer in
            var isFirst = true
            for (code, signal) in Signals.all where signals.contains(signal) {
                if !isFirst { writer.append(",") }
                writer.append(code)
                isFirst = false
            }
        }
        commands.add("risk_event_id")
        commands.add(event)
    }
}

/// Risk of a driver from verdicts without a position that follow its newest point.
struct LaterVerdicts {
    /// The newest of these verdicts.
    var event: EventID
    var receivedAt: Timestamp
    /// Risk of the first verdict in a row with the current flags, so that batch boundaries do not change the result.
    var risk: DriverRisk
    /// Event of that first verdict.
    var since: EventID
    /// Whether earlier verdicts of the batch have other flags.
    var hasChanged = false
    /// Whether one of the verdicts excludes the driver from the nearest-driver sets.
    var wasExcluded: Bool

    /// Continues from the risk before, which is replaced only if the flags change.
    mutating func follow(_ before: DriverRisk, since event: EventID) {
        guard risk.hasSameFlags(as: before) else {
            hasChanged = true
            return
        }
        risk = before
        since = event
    }
}
