import Codec
import NIOCore

/// Advice to a device on its reporting interval and accuracy, sent as `location_config`.
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
/// A battery below 20 % that is not charging doubles the interval, up to 8 s on the trip and 300 s in all other cases.
/// See decision 58 for the reasons.
struct SamplingAdvice: Sendable, Equatable {
    var intervalMilliseconds: Int
    var accuracy: SamplingAccuracy
    /// Minimum distance between positions, in metres; 0 for no filter.
    var distanceFilterMeters: Int
    var batchSize = 1
    var reason: SamplingReason

    /// Standing time after which a driver is idle, in seconds.
    static let idleSeconds = 300.0
    /// Minimum speed of a moving vehicle, in m/s: walking speed, above the noise of a standing receiver.
    static let movingMetersPerSecond = 1.5
    static let lowBatteryPercent = 20
    static let veryLowBatteryPercent = 10
    /// Maximum interval on a trip, in milliseconds; riders and arrival times need recent positions.
    static let maximumTripMilliseconds = 8000
    /// Maximum interval of other drivers, in milliseconds; nearest-driver searches omit drivers silent for 10 minutes.
    static let maximumMilliseconds = 300_000
    static let batchSizes = [1, 5, 10, 20]

    init(_ conditions: SamplingConditions) {
        switch conditions.trip {
        case .none where conditions.isInBackground:
            (intervalMilliseconds, accuracy, distanceFilterMeters, reason) = (300_000, .low, 0, .background)
        case .none where Self.isIdle(conditions):
            (intervalMilliseconds, accuracy, distanceFilterMeters, reason) = (120_000, .low, 0, .idle)
        case .none: (intervalMilliseconds, accuracy, distanceFilterMeters, reason) = (30_000, .cityBlock, 0, .noTrip)
        case .toPickup: (intervalMilliseconds, accuracy, distanceFilterMeters, reason) = (2000, .best, 10, .toPickup)
        case .onTrip:
            intervalMilliseconds = Self.tripMilliseconds(conditions.drivingSpeed)
            (accuracy, distanceFilterMeters, reason) = (.tenMeters, 20, .onTrip)
        }
        if conditions.isBatteryBelow(Self.lowBatteryPercent) { extendInterval(conditions) }
        if conditions.trip == .none { batchSize = Self.batchSize(conditions, intervalMilliseconds) }
    }

    private static func tripMilliseconds(_ drivingSpeed: DrivingSpeed) -> Int {
        switch drivingSpeed {
        case .fast: 2000
        case .medium: 4000
        case .slow: 8000
        }
    }

    private static func isIdle(_ conditions: SamplingConditions) -> Bool {
        conditions.idleSeconds > idleSeconds && (conditions.speedMetersPerSecond ?? 0) < movingMetersPerSecond
    }

    private mutating func extendInterval(_ conditions: SamplingConditions) {
        let maximum = conditions.trip == .onTrip ? Self.maximumTripMilliseconds : Self.maximumMilliseconds
        let extended = min(2 * intervalMilliseconds, maximum)
        guard extended > intervalMilliseconds else { return }
        intervalMilliseconds = extended
        reason = .lowBattery
    }

    /// Returns the batch size without a trip.
    ///
    /// Larger batches keep the radio off for longer, which matters most on slow networks. A batch may delay its first
    /// position by up to ``maximumMilliseconds``; without a network there is no limit, because the device cannot send.
    private static func batchSize(_ conditions: SamplingConditions, _ interval: Int) -> Int {
        if conditions.network == .notConnected { return 20 }
        let battery =
            conditions.isBatteryBelow(veryLowBatteryPercent) ? 10 : conditions.isBatteryBelow(lowBatteryPercent) ? 5 : 1
        let preferred = max(battery, conditions.network?.batchSize ?? 1)
        return batchSizes.last { $0 <= preferred && $0 * interval <= maximumMilliseconds } ?? 1
    }

    var message: ByteBuffer {
        var writer = MessageWriter(type: "location_config")
        writer.number("interval_ms", Int64(intervalMilliseconds))
        writer.text("accuracy", accuracy.rawValue)
        writer.number("distance_filter_meters", Int64(distanceFilterMeters))
        writer.number("batch_size", Int64(batchSize))
        writer.text("reason", reason.rawValue)
        return writer.buffer
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

/// Requested accuracy, from the highest power consumption to the lowest.
enum SamplingAccuracy: String, Sendable, CaseIterable {
    case best
    case tenMeters = "ten_meters"
    case cityBlock = "city_block"
    case low
}

/// Reason for the advice; `lowBattery` if a low battery extends the interval.
enum SamplingReason: String, Sendable, CaseIterable {
    case noTrip = "NO_TRIP"
    case idle = "IDLE"
    case background = "BACKGROUND"
    case toPickup = "TO_PICKUP"
    case onTrip = "ON_TRIP"
    case lowBattery = "LOW_BATTERY"
}
