import Codec
import Support

/// How often and how accurately a device should measure its position: the message `location_config`.
///
/// | | interval | accuracy | distance filter |
/// |---|---|---|---|
/// | without a trip | 30 s | city block | none |
/// | without a trip, standing for over 5 minutes | 120 s | low | none |
/// | without a trip, the app in the background | 300 s | low | none |
/// | to the pickup | 2 s | best | 10 m |
/// | on the trip, above 50 km/h | 2 s | ten metres | 20 m |
/// | on the trip, above 20 km/h, or at an unknown speed | 4 s | ten metres | 20 m |
/// | on the trip, slower | 8 s | ten metres | 20 m |
///
/// A battery below 20 % that is not being charged doubles the interval, on the trip to 8 s at most, and otherwise to
/// 300 s. Decision 58 has the reasons.
package struct SamplingAdvice: Sendable, Equatable {
    package var intervalMilliseconds: Int
    package var accuracy: SamplingAccuracy
    /// How far the device moves before it says its next position, in metres; 0 is no such filter.
    package var distanceFilterMeters: Int
    /// How many positions the device collects before it sends them in one message.
    package var batchSize = 1
    package var reason: SamplingReason

    /// A driver is idle beyond this, in seconds.
    static let idleSeconds = 300.0
    /// From this speed on a vehicle does not stand, in m/s: walking pace, above what a standing receiver reports.
    static let movingMetersPerSecond = 1.5
    /// A battery is low below this.
    static let lowBatteryPercent = 20
    /// A battery is very low below this.
    static let veryLowBatteryPercent = 10
    /// Riders and arrival times need a position at least this often, in milliseconds.
    static let maximumTripMilliseconds = 8000
    /// Without a trip a position comes at least this often, in milliseconds: drivers who are silent for 10 minutes are
    /// found near no place.
    static let maximumMilliseconds = 300_000
    /// The sizes of batches.
    static let batchSizes = [1, 5, 10, 20]

    /// The advice for `conditions`.
    package init(_ conditions: SamplingConditions) {
        switch conditions.trip {
        case .none where conditions.isInBackground:
            (intervalMilliseconds, accuracy, distanceFilterMeters, reason) = (300_000, .low, 0, .background)
        case .none where Self.isIdle(conditions):
            (intervalMilliseconds, accuracy, distanceFilterMeters, reason) = (120_000, .low, 0, .idle)
        case .none: (intervalMilliseconds, accuracy, distanceFilterMeters, reason) = (30_000, .cityBlock, 0, .noTrip)
        case .toPickup: (intervalMilliseconds, accuracy, distanceFilterMeters, reason) = (2000, .best, 10, .toPickup)
        case .onTrip:
            intervalMilliseconds = Self.tripMilliseconds(conditions.pace)
            (accuracy, distanceFilterMeters, reason) = (.tenMeters, 20, .onTrip)
        }
        if conditions.isBatteryBelow(Self.lowBatteryPercent) { spareBattery(conditions) }
        if conditions.trip == .none { batchSize = Self.batchSize(conditions, intervalMilliseconds) }
    }

    private static func tripMilliseconds(_ pace: DrivingSpeed) -> Int {
        switch pace {
        case .fast: 2000
        case .medium: 4000
        case .slow: 8000
        }
    }

    private static func isIdle(_ conditions: SamplingConditions) -> Bool {
        conditions.idleSeconds > idleSeconds && (conditions.speedMetersPerSecond ?? 0) < movingMetersPerSecond
    }

    private mutating func spareBattery(_ conditions: SamplingConditions) {
        let longest = conditions.trip == .onTrip ? Self.maximumTripMilliseconds : Self.maximumMilliseconds
        let spared = min(2 * intervalMilliseconds, longest)
        guard spared > intervalMilliseconds else { return }
        intervalMilliseconds = spared
        reason = .lowBattery
    }

    /// The size of batches without a trip, when nobody waits for the single position: fewer and larger messages keep the
    /// radio off for longer, the more so the slower the network is.
    ///
    /// What the first position of a batch waits is limited as the interval is; not without a network, when the device
    /// can only collect.
    private static func batchSize(_ conditions: SamplingConditions, _ interval: Int) -> Int {
        if conditions.network == .notConnected { return 20 }
        let battery =
            conditions.isBatteryBelow(veryLowBatteryPercent) ? 10 : conditions.isBatteryBelow(lowBatteryPercent) ? 5 : 1
        let wanted = max(battery, conditions.network?.batchSize ?? 1)
        return batchSizes.last { $0 <= wanted && $0 * interval <= maximumMilliseconds } ?? 1
    }

    /// Appends the message as one JSON object.
    package func write(into writer: inout ByteWriter) {
        writer.append("{\"type\":\"location_config\",\"interval_ms\":")
        writer.append(decimal: Int64(intervalMilliseconds))
        writer.append(",\"accuracy\":\"")
        writer.append(accuracy.code)
        writer.append("\",\"distance_filter_meters\":")
        writer.append(decimal: Int64(distanceFilterMeters))
        writer.append(",\"batch_size\":")
        writer.append(decimal: Int64(batchSize))
        writer.append(",\"reason\":\"")
        writer.append(reason.code)
        writer.append("\"}")
    }
}

extension NetworkType {
    fileprivate var batchSize: Int {
        switch self {
        case .unknown, .wifi, .cellular, .fourthGeneration, .fifthGeneration, .ethernet: 1
        case .thirdGeneration: 5
        case .secondGeneration: 10
        case .notConnected: 20
        }
    }
}
