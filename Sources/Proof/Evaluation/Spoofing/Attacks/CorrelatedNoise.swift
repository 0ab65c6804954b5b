import Foundation
import Simulation
import Tracking

/// The error of a receiver: 70 % of its variance first-order autoregressive with a time constant of 40 s, the rest
/// white, as in the project's noise study.
struct CorrelatedNoise {
    let sigmaMeters: Double
    private var slow: TangentPlane.Point
    private var lastSeconds: Double?

    init(sigmaMeters: Double, random: inout RandomSource) {
        self.sigmaMeters = sigmaMeters
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
        let (share, white) = (0.7.squareRoot() * sigmaMeters, 0.3.squareRoot() * sigmaMeters)
        return TangentPlane.Point(
            east: share * slow.east + white * random.normal(), north: share * slow.north + white * random.normal())
    }
}
