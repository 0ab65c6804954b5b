import Domain

/// Resolution of a device's coordinates.
///
/// Phones report steps of 1e-7 degrees or finer, many apps 6 or 5 decimals. NMEA 0183 receivers report minutes with 4
/// decimals; conversion to degrees preserves their resolution.
package enum CoordinateRounding: CaseIterable, Sendable {
    case sevenDigits
    case sixDigits
    case fiveDigits
    case tenThousandthsOfMinutes
    /// Resolution of a few apps and old loggers.
    case fourDigits

    /// The roundings of most devices.
    package static let usual: [CoordinateRounding] = [
        .sevenDigits, .sixDigits, .fiveDigits, .tenThousandthsOfMinutes,
    ]

    /// Draws one of ``usual`` with equal probabilities.
    package init(random: inout RandomSource) {
        self = Self.usual[random.index(below: Self.usual.count)]
    }

    package var stepsPerDegree: Double {
        switch self {
        case .sevenDigits: 1e7
        case .sixDigits: 1e6
        case .fiveDigits: 1e5
        case .tenThousandthsOfMinutes: 6e5
        case .fourDigits: 1e4
        }
    }

    /// Rounds to the nearest coordinate that the device can report.
    package func rounded(_ coordinate: Coordinate) -> Coordinate {
        let steps = stepsPerDegree
        return Coordinate(
            latitude: (coordinate.latitude * steps).rounded() / steps,
            longitude: (coordinate.longitude * steps).rounded() / steps)
    }
}
