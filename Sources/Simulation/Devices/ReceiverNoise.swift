import Domain
import Foundation

/// Error of a receiver that filters its positions, as phones do.
///
/// A slow first-order autoregressive part with a time constant of one minute, plus a small white part, independent for
/// each fix. Modelled on recorded phones at one fix per second. Against survey-grade ground truth (two phones, 3,480
/// fixes), the slow part decays to half across the track within 55 to 60 s (structure function from 1 to 160 s), its
/// standard deviation per axis is 0.6 to 1.4 m, and no white part remains. Without ground truth (20 phones and loggers,
/// 28,000 fixes), fourth differences across the track bound the white part to 0.03 to 0.44 m; half of the devices are
/// below 0.2 m.
package struct ReceiverNoise: Sendable {
    /// Time constant of the slow part, in seconds.
    package static let slowSeconds = 60.0
    /// Range of the white part's standard deviation per axis, in metres.
    package static let whiteMeters = 0.03...0.36

    /// Standard deviation per axis of the white part, in metres.
    package let whiteMeters: Double
    /// The slow part, in standard deviations.
    private var east: Double
    private var north: Double
    private var lastSeconds: Double?

    /// Draws the white part from ``whiteMeters``, log-uniformly.
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

    /// Draws the error at `seconds`, in metres; `slowMeters` is the slow part's standard deviation per axis.
    package mutating func next(
        at seconds: Double, slowMeters: Double, random: inout RandomSource
    ) -> TangentPlane.Point {
        if let lastSeconds {
            let decay = exp(-max(0, seconds - lastSeconds) / Self.slowSeconds)
            let fresh = (1 - decay * decay).squareRoot()
            east = east * decay + fresh * random.normal()
            north = north * decay + fresh * random.normal()
        }
        lastSeconds = seconds
        return TangentPlane.Point(
            east: slowMeters * east + whiteMeters * random.normal(),
            north: slowMeters * north + whiteMeters * random.normal())
    }
}
