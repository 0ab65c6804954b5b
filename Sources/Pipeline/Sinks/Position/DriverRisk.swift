import Tracking
import Wire

/// How likely a driver's recent fixes are forged, by one verdict.
struct DriverRisk: Equatable {
    /// From 0 to 1,000, as exact as on the wire; -1 where it is not known.
    var thousandths: Int16
    /// Whether the driver is taken for a forger.
    var isFlagged: Bool

    static let unknown = DriverRisk(thousandths: -1, isFlagged: false)

    init(thousandths: Int16, isFlagged: Bool) {
        self.thousandths = thousandths
        self.isFlagged = isFlagged
    }

    init(_ record: borrowing VerdictRecord) {
        let reasons = record.reasons
        thousandths = Int16((record.risk * 1000).rounded())
        isFlagged = reasons.contains(.flagged)
    }

    /// Reads the fields `risk` and `is_flagged` of a driver's hash; ``unknown`` where an earlier version wrote it.
    init(risk: String?, isFlagged: String?) {
        guard let risk = risk.flatMap({ Double($0) }), (0...1).contains(risk), let isFlagged else {
            self = .unknown
            return
        }
        thousandths = Int16((risk * 1000).rounded())
        self.isFlagged = isFlagged == "1"
    }
}
