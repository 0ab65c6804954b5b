import Simulation
import Tracking

/// How far raw and smoothed positions are from the truth, over accepted fixes of honest drivers.
struct AccuracyScore: Sendable {
    /// A fix, as its device names it.
    struct Fix: Hashable {
        var driverID: String
        var sessionID: String
        var sequence: Int64
    }

    /// The truth of fixes sent that have no verdict yet.
    private var open: [Fix: Coordinate] = [:]
    private var rawSquares = 0.0
    private var smoothedSquares = 0.0
    private(set) var count = 0

    /// What is true of a fix, before it is sent.
    mutating func expect(_ truth: FixTruth) {
        guard !truth.isForged else { return }
        let fix = Fix(driverID: truth.driverID, sessionID: truth.sessionID, sequence: truth.sequence)
        open[fix] = truth.coordinate
    }

    /// Takes the verdict on a fix; only an accepted one has an `estimate`.
    mutating func note(_ fix: Fix, reported: Coordinate, estimate: Coordinate?) {
        guard let truth = open.removeValue(forKey: fix), let estimate else { return }
        let raw = Geodesy.distanceMeters(from: truth, to: reported)
        let smoothed = Geodesy.distanceMeters(from: truth, to: estimate)
        rawSquares += raw * raw
        smoothedSquares += smoothed * smoothed
        count += 1
    }

    /// Root mean square errors in metres; `nil` when no fix had a truth.
    var rootMeanSquares: (raw: Double, smoothed: Double)? {
        guard count > 0 else { return nil }
        return ((rawSquares / Double(count)).squareRoot(), (smoothedSquares / Double(count)).squareRoot())
    }
}
