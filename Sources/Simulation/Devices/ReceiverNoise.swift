import Foundation
import Model

/// The error of a receiver that filters its positions, as phones do: a part that stays, first-order autoregressive with
/// a time constant of a minute, and next to nothing that is drawn anew for each fix.
///
/// After recorded phones at a fix per second. Against survey-grade truth (two phones, 3,480 fixes), half of the slow
/// part is gone after 55 to 60 s across the track (structure function from 1 to 160 s), its standard deviation per axis
/// is 0.6 to 1.4 m, and no white part is left beside it. Without truth (20 phones and loggers, 28,000 fixes), fourth
/// differences across the track bound the white part to 0.03 to 0.44 m, of which half are under 0.2 m.
package struct ReceiverNoise: Sendable {
    /// Time constant of the slow part, in seconds.
    package static let slowSeconds = 60.0
    /// Of the part that is drawn anew for each fix, per axis, in metres; each phone has its own.
    package static let whiteMeters = 0.03...0.36

    /// Standard deviation per axis of the part that is drawn anew, in metres.
    package let whiteMeters: Double
    /// The slow part, in standard deviations.
    private var east: Double
    private var north: Double
    private var lastSeconds: Double?

    /// A phone whose white part is drawn from ``whiteMeters``, small ones oftener.
    package init(random: inout RandomSource) {
        let range = Self.whiteMeters
        self.init(
            whiteMeters: range.lowerBound * pow(range.upperBound / range.lowerBound, random.uniform()),
            random: &random)
    }

    package init(whiteMeters: Double, random: inout RandomSource) {
        self.whiteMeters = whiteMeters
        east = random.normal()
        north = random.normal()
    }

    /// The error at `seconds`, in metres, of which the slow part has this standard deviation per axis.
    package mutating func next(
        at seconds: Double, slowMeters: Double, random: inout RandomSource
    ) -> TangentPlane.Point {
        if let lastSeconds {
            let keep = exp(-max(0, seconds - lastSeconds) / Self.slowSeconds)
            let fresh = (1 - keep * keep).squareRoot()
            east = east * keep + fresh * random.normal()
            north = north * keep + fresh * random.normal()
        }
        lastSeconds = seconds
        return TangentPlane.Point(
            east: slowMeters * east + whiteMeters * random.normal(),
            north: slowMeters * north + whiteMeters * random.normal())
    }
}
