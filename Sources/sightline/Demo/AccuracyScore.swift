import Model
import Simulation

/// How far raw and smoothed positions are from the truth, over accepted fixes of honest drivers.
struct AccuracyScore: Sendable {
    /// A fix, as its device names it.
    struct Fix: Hashable {
        var driverID: String
        var sessionID: String
        var sequence: Int64
    }

    /// Squared errors of a group of fixes, summed up.
    struct Errors: Sendable {
        private(set) var count = 0
        private var rawSquares = 0.0
        private var smoothedSquares = 0.0

        mutating func add(raw: Double, smoothed: Double) {
            rawSquares += raw * raw
            smoothedSquares += smoothed * smoothed
            count += 1
        }

        /// Root mean square errors in metres; `nil` for an empty group.
        var rootMeanSquares: (raw: Double, smoothed: Double)? {
            guard count > 0 else { return nil }
            return ((rawSquares / Double(count)).squareRoot(), (smoothedSquares / Double(count)).squareRoot())
        }
    }

    private struct Truth {
        var coordinate: Coordinate
        var conditions: MeasuringConditions?
    }

    /// The truth of fixes sent that have no verdict yet.
    private var open: [Fix: Truth] = [:]
    private var all = Errors()
    /// Errors by receiver and surroundings, where they are known.
    private(set) var byConditions: [MeasuringConditions: Errors] = [:]

    /// What is true of a fix, before it is sent.
    mutating func expect(_ truth: FixTruth) {
        guard !truth.isForged else { return }
        let fix = Fix(driverID: truth.driverID, sessionID: truth.sessionID, sequence: truth.sequence)
        open[fix] = Truth(coordinate: truth.coordinate, conditions: truth.conditions)
    }

    /// Takes the verdict on a fix; only an accepted one has an `estimate`.
    mutating func note(_ fix: Fix, reported: Coordinate, estimate: Coordinate?) {
        guard let truth = open.removeValue(forKey: fix), let estimate else { return }
        let raw = Geodesy.distanceMeters(from: truth.coordinate, to: reported)
        let smoothed = Geodesy.distanceMeters(from: truth.coordinate, to: estimate)
        all.add(raw: raw, smoothed: smoothed)
        if let conditions = truth.conditions {
            byConditions[conditions, default: Errors()].add(raw: raw, smoothed: smoothed)
        }
    }

    var count: Int { all.count }

    /// Root mean square errors in metres; `nil` when no fix had a truth.
    var rootMeanSquares: (raw: Double, smoothed: Double)? { all.rootMeanSquares }
}
