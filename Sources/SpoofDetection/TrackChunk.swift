import Model
import Support

/// A chunk of track that a fix completes.
struct TrackChunk {
    var hash: UInt64
    /// Whether it was driven before, long enough ago.
    var isRepeated: Bool
    /// Fixes in it.
    var fixes: Int
    /// Its last two fixes, which show the step that its coordinates are rounded to.
    var lastPoints: (GridPoint, GridPoint)

    /// Step of the cells that are compared, in ten-millionths of a degree: about a decimetre.
    static let cellUnits = 10.0

    /// Measures how improbable it is that another vehicle in the same street makes the same chunk, in bits.
    ///
    /// Two passes differ by ``TrackingSettings/Replay/usualDifferenceMeters`` along each axis; coordinates rounded to that
    /// and more are equal by the street alone, and tell nothing.
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
