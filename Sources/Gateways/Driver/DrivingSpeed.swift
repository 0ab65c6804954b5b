/// How fast a vehicle drives, in the three steps that the advice has on a trip.
package enum DrivingSpeed: Sendable, CaseIterable {
    /// Up to 20 km/h.
    case slow
    /// Up to 50 km/h, and where the device has not said its speed.
    case medium
    case fast

    /// Above these speeds the next faster step begins, in m/s.
    static let mediumMetersPerSecond = 20 / 3.6
    static let fastMetersPerSecond = 50 / 3.6
    /// How far the speed has to fall below such a limit until the slower step counts again, in m/s: a vehicle that
    /// drives at the limit would otherwise get new advice with every position.
    static let hysteresisMetersPerSecond = 5 / 3.6

    /// The step of a speed in m/s, when nothing is known of the time before.
    package init(_ speed: Double?) {
        switch speed {
        case nil: self = .medium
        case let speed? where speed > Self.fastMetersPerSecond: self = .fast
        case let speed?: self = speed > Self.mediumMetersPerSecond ? .medium : .slow
        }
    }

    /// The step of a speed in m/s that follows on this one.
    package func next(_ speed: Double) -> DrivingSpeed {
        let (rising, falling) = (DrivingSpeed(speed), DrivingSpeed(speed + Self.hysteresisMetersPerSecond))
        return switch self {
        case .fast: falling
        case .medium: rising == .fast || falling == .slow ? rising : .medium
        case .slow: rising
        }
    }
}
