import Codec
import Domain
import Redis
import Support

/// Estimated position of a driver, copied from a record of the batch.
struct DriverPoint {
    var event: EventID
    var coordinate: Coordinate
    var headingDegrees: Double?
    var speedMetersPerSecond: Double
    var accuracyMeters: Double
    var confidence: Confidence
    var isHalted: Bool
    var fixedAt: Timestamp
    var receivedAt: Timestamp
    var risk: DriverRisk
    /// Range of the trip's id in the batch's trip ids; empty without a trip.
    var trip: Range<Int>
    /// Index of the driver's previous point in the batch; -1 for none.
    var previous: Int32

    /// Adds the point as a trail element `lat,lon,fixed_at,heading,speed_mps`; an unknown heading is empty.
    func addTrailElement(to commands: inout RedisCommands) {
        commands.add { writer in
            writer.append(decimal: coordinate.latitude, places: 6)
            writer.append(",")
            writer.append(decimal: coordinate.longitude, places: 6)
            writer.append(",")
            writer.append(decimal: fixedAt.milliseconds)
            writer.append(",")
            if let headingDegrees { writer.append(decimal: headingDegrees, places: 1) }
            writer.append(",")
            writer.append(decimal: speedMetersPerSecond, places: 2)
        }
    }
}

extension EventID {
    /// Returns whether this event, received at `receivedAt`, comes after `other`.
    ///
    /// Compares events within a partition and receipt times across partitions, because a driver has
    /// verdicts in two partitions after a change of the number of partitions.
    func follows(_ other: EventID, _ receivedAt: Timestamp, _ otherReceivedAt: Timestamp) -> Bool {
        guard origin == other.origin, partition == other.partition else { return receivedAt > otherReceivedAt }
        return isAfter(other)
    }
}

/// Spoofing risk of a driver, from one verdict.
struct DriverRisk: Equatable {
    /// Risk in thousandths, 0 to 1,000 (the precision on the wire); -1 if unknown.
    var thousandths: Int16 = -1
    var isFlagged = false
    /// Whether the driver is a suspect and not flagged.
    var isSuspect = false
    /// The signals that contribute most; empty while the risk is below 0.2.
    var signals: Signals = []

    static let unknown = DriverRisk()

    private init() {}

    init(_ record: borrowing VerdictRecord) {
        thousandths = Int16((record.risk * 1000).rounded())
        isFlagged = record.reasons.contains(.flagged)
        isSuspect = record.reasons.contains(.suspect)
        signals = record.riskSignals
    }

    /// Parses `risk`, `is_flagged` and `is_suspect` of a driver's hash; ``unknown`` if invalid.
    init(risk: String?, isFlagged: String?, isSuspect: String?) {
        guard let risk = risk.flatMap({ Double($0) }), (0...1).contains(risk), let isFlagged else { return }
        thousandths = Int16((risk * 1000).rounded())
        self.isFlagged = isFlagged == "1"
        self.isSuspect = isSuspect == "1"
    }

    /// Returns whether both risks have the same flags.
    func hasSameFlags(as other: DriverRisk) -> Bool {
        isFlagged == other.isFlagged && isSuspect == other.isSuspect
    }

    func isExcluded(from drivers: NearestDrivers) -> Bool {
        drivers.excludes(isFlagged: isFlagged, isSuspect: isSuspect)
    }

    /// Number of arguments that ``addFields(event:to:)`` adds.
    static let fieldArguments = 10

    /// Adds the risk fields of a driver's hash; `event` is the event of the verdict.
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

/// Risk of a driver from verdicts without a position that follow the driver's newest point.
struct LaterVerdicts {
    /// The newest of these verdicts.
    var event: EventID
    var receivedAt: Timestamp
    /// Risk of the verdict since which the flags are unchanged, so that it does not depend on batch boundaries.
    var risk: DriverRisk
    /// Event of the verdict that ``risk`` comes from.
    var since: EventID
    /// Whether the flags changed within the batch.
    var hasChanged = false
    /// Whether one of the verdicts excludes the driver from the nearest-driver sets.
    var wasExcluded: Bool

    /// Replaces the risk and its event by the previous ones if the flags have not changed.
    mutating func follow(_ before: DriverRisk, since event: EventID) {
        guard risk.hasSameFlags(as: before) else {
            hasChanged = true
            return
        }
        risk = before
        since = event
    }
}
