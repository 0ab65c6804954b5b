import Simulation
import Tracking

/// How far raw and smoothed positions are from the truth, over accepted fixes of honest drivers.
struct AccuracyScore: Sendable {
    private struct Key: Hashable {
        var driverID: String
        var sessionID: String
        var sequence: Int64
    }

    /// The truth of fixes sent that have no verdict yet.
    private var open: [Key: Coordinate] = [:]
    private var rawSquares = 0.0
    private var smoothedSquares = 0.0
    private(set) var count = 0

    /// What is true of a fix, before it is sent.
    mutating func expect(_ truth: FixTruth) {
        guard !truth.isForged else { return }
        open[Key(driverID: truth.driverID, sessionID: truth.sessionID, sequence: truth.sequence)] = truth.coordinate
    }

    mutating func note(_ seen: RunLedger.SeenVerdict) {
        guard let sequence = seen.sequence else { return }
        let key = Key(driverID: seen.driverID, sessionID: seen.sessionID, sequence: sequence)
        guard let truth = open.removeValue(forKey: key), seen.verdict == .accepted, let estimate = seen.estimate else {
            return
        }
        let raw = Geodesy.distanceMeters(from: truth, to: seen.reported)
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
