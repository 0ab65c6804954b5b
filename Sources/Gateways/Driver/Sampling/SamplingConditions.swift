import Codec
import Domain

/// Conditions that determine the sampling advice.
struct SamplingConditions: Sendable, Equatable {
    enum Trip: Sendable, CaseIterable {
        case none
        /// Before the rider is in the vehicle: driving to the pickup or waiting there.
        case toPickup
        case onTrip

        /// Creates the phase of a trip state; a state of `nil` means that there is no trip.
        init(_ state: TripState?) {
            switch state {
            case nil, .requested, .completed, .cancelled: self = .none
            case .accepted, .arrived: self = .toPickup
            case .inProgress: self = .onTrip
            }
        }
    }

    var trip: Trip
    /// Standing time without a trip, in seconds, at least 0.
    var idleSeconds = 0.0
    /// Latest speed, in m/s, at least 0; `nil` if never reported.
    var speedMetersPerSecond: Double?
    /// Speed class with hysteresis; `nil` before the first speed.
    var steadySpeed: DrivingSpeed?
    var isInBackground = false
    /// `nil` if not reported.
    var network: NetworkType?
    /// 0 to 100; `nil` if not reported.
    var batteryPercent: Int?
    /// `nil` if not reported, which counts as not charging.
    var isCharging: Bool?

    var drivingSpeed: DrivingSpeed { steadySpeed ?? DrivingSpeed(speedMetersPerSecond) }

    func isBatteryBelow(_ percent: Int) -> Bool {
        batteryPercent.map { $0 < percent && isCharging != true } ?? false
    }
}

/// Speed class of a vehicle on a trip, for the sampling interval.
enum DrivingSpeed: Sendable, CaseIterable {
    /// Up to 20 km/h.
    case slow
    /// Up to 50 km/h, or unknown.
    case medium
    case fast

    /// Exclusive lower limits of the faster classes, in m/s.
    static let mediumMetersPerSecond = 20 / 3.6
    static let fastMetersPerSecond = 50 / 3.6
    /// Hysteresis of a falling speed, in m/s; avoids new advice with every position near a limit.
    static let hysteresisMetersPerSecond = 5 / 3.6

    /// Creates the class of a speed in m/s without a previous class.
    init(_ speed: Double?) {
        switch speed {
        case nil: self = .medium
        case let speed? where speed > Self.fastMetersPerSecond: self = .fast
        case let speed?: self = speed > Self.mediumMetersPerSecond ? .medium : .slow
        }
    }

    /// Returns the class of the next speed, in m/s, with hysteresis relative to this class.
    func next(_ speed: Double) -> DrivingSpeed {
        let (rising, falling) = (DrivingSpeed(speed), DrivingSpeed(speed + Self.hysteresisMetersPerSecond))
        return switch self {
        case .fast: falling
        case .medium: rising == .fast || falling == .slow ? rising : .medium
        case .slow: rising
        }
    }
}
