/// Speed class of a vehicle on a trip, for the sampling interval.
enum DrivingSpeed: Sendable, CaseIterable {
    /// Up to 20 km/h.
    case slow
    /// Up to 50 km/h, or unknown.
    case medium
    case fast

    /// Upper limits of the slower classes, in m/s.
    static let mediumMetersPerSecond = 20 / 3.6
    static let fastMetersPerSecond = 50 / 3.6
    /// Hysteresis in m/s: how far the speed must fall below a limit to return to the slower class, so that a vehicle
    /// near the limit does not get new advice with every position.
    static let hysteresisMetersPerSecond = 5 / 3.6

    /// Creates the class of a speed in m/s without a previous class.
    init(_ speed: Double?) {
        switch speed {
        case nil: self = .medium
        case let speed? where speed > Self.fastMetersPerSecond: self = .fast
        case let speed?: self = speed > Self.mediumMetersPerSecond ? .medium : .slow
        }
    }

    /// Returns the class of a speed in m/s that follows this class.
    func next(_ speed: Double) -> DrivingSpeed {
        let (rising, falling) = (DrivingSpeed(speed), DrivingSpeed(speed + Self.hysteresisMetersPerSecond))
        return switch self {
        case .fast: falling
        case .medium: rising == .fast || falling == .slow ? rising : .medium
        case .slow: rising
        }
    }
}
