import Support

/// A stretch of a driver's track, cut at points that depend on its content.
struct TrackChunk {
    var hash: UInt64
    /// Whether the stretch was driven before, at least ``TrackingSettings/Replay/minimumAgeSeconds`` ago.
    var isRepeated: Bool
    var fixes: Int
    /// Positions of the last two fixes, which show the rounding of its coordinates.
    var lastPoints: (GridPoint, GridPoint)

    /// Size of the cells in which points are compared, in 1e-7 degrees: about a decimetre.
    static let cellUnits = 10.0

    /// Returns the improbability, in bits, that another vehicle in the street produces an equal chunk.
    ///
    /// Coordinates rounded to ``TrackingSettings/Replay/usualDifferenceMeters`` or more count as 0 bits.
    func bits(_ settings: TrackingSettings.Replay) -> Double {
        let (first, second) = lastPoints
        let meters = Geodesy.metersPerDegree / 1e7
        let eastScale = max(0.01, Elementary.cos(Double(second.latitude) / 1e7 * .pi / 180))
        let north = GridPoint.commonSpacing(first.latitude, second.latitude) * meters
        let east = GridPoint.commonSpacing(first.longitude, second.longitude) * meters * eastScale
        return Double(fixes) * (Self.bits(north, settings) + Self.bits(east, settings))
    }

    private static func bits(_ spacingMeters: Double, _ settings: TrackingSettings.Replay) -> Double {
        let cell = cellUnits * Geodesy.metersPerDegree / 1e7
        let ratio = settings.usualDifferenceMeters / max(cell, spacingMeters)
        return ratio > 1 ? Elementary.log(ratio) / 0.693_147_180_559_945_3 : 0
    }
}
