import Codec
import Model
import Redis

/// How likely a driver's recent fixes are forged, by one verdict.
struct DriverRisk: Equatable {
    /// From 0 to 1,000, as exact as on the wire; -1 where it is not known.
    var thousandths: Int16
    /// Whether the driver is taken for a forger.
    var isFlagged: Bool
    /// Whether the driver is a suspect, and not flagged.
    var isSuspect = false
    /// The signals that the risk is from; empty while it is small.
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

    /// Reads the fields `risk`, `is_flagged` and `is_suspect` of a driver's hash; ``unknown`` where an earlier version
    /// wrote it.
    init(risk: String?, isFlagged: String?, isSuspect: String?) {
        guard let risk = risk.flatMap({ Double($0) }), (0...1).contains(risk), let isFlagged else {
            self = .unknown
            return
        }
        thousandths = Int16((risk * 1000).rounded())
        self.isFlagged = isFlagged == "1"
        self.isSuspect = isSuspect == "1"
    }

    /// Whether the driver is flagged, or a suspect, by both or by neither.
    func hasStanding(of other: DriverRisk) -> Bool { isFlagged == other.isFlagged && isSuspect == other.isSuspect }

    /// Whether nearest-driver queries do not find the driver.
    func isLeftOut(of drivers: NearestDrivers) -> Bool { drivers.leavesOut(isFlagged: isFlagged, isSuspect: isSuspect) }

    /// The number of fields that ``addFields(event:to:)`` writes, names and values.
    static let fieldArguments = 10

    /// Adds the fields of a driver's hash that say how likely the driver's fixes are forged, why, and by which verdict.
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
