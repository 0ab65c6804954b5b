import Bytes

/// How often and how accurately a device should measure its position: the message `location_config`.
///
/// | | interval | accuracy | distance filter |
/// |---|---|---|---|
/// | without a trip | 30 s | city block | none |
/// | without a trip, standing for over 5 minutes | 60 s | low | none |
/// | to the pickup | 2 s | best | 10 m |
/// | on the trip | 4 s | ten metres | 20 m |
///
/// A battery below 20 % that is not being charged doubles the interval, on the trip to 8 s at most.
package struct SamplingAdvice: Sendable, Equatable {
    package var intervalMilliseconds: Int
    package var accuracy: SamplingAccuracy
    /// How far the device moves before it says its next position, in metres; 0 is no such filter.
    package var distanceFilterMeters: Int
    package var reason: SamplingReason

    /// A driver is idle beyond this, in seconds.
    static let idleSeconds = 300.0
    /// From this speed on a vehicle does not stand, in m/s: walking pace, above what a standing receiver reports.
    static let movingMetersPerSecond = 1.5
    /// A battery is low below this.
    static let lowBatteryPercent = 20
    /// Riders and arrival times need a position at least this often, in milliseconds.
    static let maximumTripMilliseconds = 8000

    /// The advice for `conditions`.
    package init(_ conditions: SamplingConditions) {
        switch conditions.trip {
        case .none where Self.isIdle(conditions):
            (intervalMilliseconds, accuracy, distanceFilterMeters, reason) = (60_000, .low, 0, .idle)
        case .none: (intervalMilliseconds, accuracy, distanceFilterMeters, reason) = (30_000, .cityBlock, 0, .noTrip)
        case .toPickup: (intervalMilliseconds, accuracy, distanceFilterMeters, reason) = (2000, .best, 10, .toPickup)
        case .onTrip: (intervalMilliseconds, accuracy, distanceFilterMeters, reason) = (4000, .tenMeters, 20, .onTrip)
        }
        guard Self.isBatteryLow(conditions) else { return }
        intervalMilliseconds *= 2
        if conditions.trip == .onTrip { intervalMilliseconds = min(intervalMilliseconds, Self.maximumTripMilliseconds) }
        reason = .lowBattery
    }

    private static func isIdle(_ conditions: SamplingConditions) -> Bool {
        conditions.idleSeconds > idleSeconds && (conditions.speedMetersPerSecond ?? 0) < movingMetersPerSecond
    }

    private static func isBatteryLow(_ conditions: SamplingConditions) -> Bool {
        guard let percent = conditions.batteryPercent else { return false }
        return percent < lowBatteryPercent && conditions.isCharging != true
    }

    /// Appends the message as one JSON object.
    package func write(into writer: inout ByteWriter) {
        writer.append("{\"type\":\"location_config\",\"interval_ms\":")
        writer.append(decimal: Int64(intervalMilliseconds))
        writer.append(",\"accuracy\":\"")
        writer.append(accuracy.code)
        writer.append("\",\"distance_filter_meters\":")
        writer.append(decimal: Int64(distanceFilterMeters))
        writer.append(",\"reason\":\"")
        writer.append(reason.code)
        writer.append("\"}")
    }
}
