import Foundation
import Simulation
import Tracking

/// The error of a receiver: part of its variance first-order autoregressive with a time constant of 40 s, the rest white.
///
/// In the project's noise study 30 % are white.
struct CorrelatedNoise {
    let sigmaMeters: Double
    private let whiteShare: Double
    private var slow: TangentPlane.Point
    private var lastSeconds: Double?

    /// `whiteShare` is the part of the variance that is drawn anew for each fix, from 0 to 1.
    init(sigmaMeters: Double, whiteShare: Double = 0.3, random: inout RandomSource) {
        self.sigmaMeters = sigmaMeters
        self.whiteShare = whiteShare
        slow = TangentPlane.Point(east: random.normal(), north: random.normal())
    }

    mutating func next(at seconds: Double, random: inout RandomSource) -> TangentPlane.Point {
        if let lastSeconds {
            let keep = exp(-max(0, seconds - lastSeconds) / 40)
            let fresh = (1 - keep * keep).squareRoot()
            slow.east = slow.east * keep + fresh * random.normal()
            slow.north = slow.north * keep + fresh * random.normal()
        }
        lastSeconds = seconds
        let (share, white) = ((1 - whiteShare).squareRoot() * sigmaMeters, whiteShare.squareRoot() * sigmaMeters)
        return TangentPlane.Point(
            east: share * slow.east + white * random.normal(), north: share * slow.north + white * random.normal())
    }
}
