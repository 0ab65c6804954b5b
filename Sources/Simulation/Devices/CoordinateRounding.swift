import Model

/// How finely a device writes its coordinates.
///
/// Phones write 1e-7 degrees or finer, many apps 6 or 5 digits. Receivers of the marine standard NMEA 0183 write minutes
/// with 4 digits, and what converts them to degrees keeps their steps.
package enum CoordinateRounding: CaseIterable, Sendable {
    case sevenDigits
    case sixDigits
    case fiveDigits
    case tenThousandthsOfMinutes
    /// A few apps and old loggers.
    case fourDigits

    /// The roundings that most devices have.
    package static let usual: [CoordinateRounding] = [
        .sevenDigits, .sixDigits, .fiveDigits, .tenThousandthsOfMinutes,
    ]

    /// Draws one of ``usual``, each as likely as the others.
    package init(random: inout RandomSource) {
        self = Self.usual[random.index(below: Self.usual.count)]
    }

    /// Steps of the coordinates in a degree.
    package var stepsPerDegree: Double {
        switch self {
        case .sevenDigits: 1e7
        case .sixDigits: 1e6
        case .fiveDigits: 1e5
        case .tenThousandthsOfMinutes: 6e5
        case .fourDigits: 1e4
        }
    }

    /// The nearest coordinate that the device can write.
    package func rounded(_ coordinate: Coordinate) -> Coordinate {
        let steps = stepsPerDegree
        return Coordinate(
            latitude: (coordinate.latitude * steps).rounded() / steps,
            longitude: (coordinate.longitude * steps).rounded() / steps)
    }
}
