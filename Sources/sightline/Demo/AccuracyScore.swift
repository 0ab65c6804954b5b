import Codec
import Domain
import Simulation

/// Errors of raw and smoothed positions relative to the truth, over fixes with a smoothed position.
struct AccuracyScore: Sendable {
    struct Fix: Hashable {
        var driverID: String
        var sessionID: String
        var sequence: Int64
    }

    /// Sums of squared errors of a group of fixes.
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
        var rootMeanSquares: RootMeanSquares? {
            guard count > 0 else { return nil }
            return ((rawSquares / Double(count)).squareRoot(), (smoothedSquares / Double(count)).squareRoot())
        }
    }

    typealias RootMeanSquares = (raw: Double, smoothed: Double)

    /// Truth of fixes that have no verdict yet.
    private var pending: [Fix: FixGroundTruth] = [:]
    private var all = Errors()
    /// Errors by receiver and surroundings, if known.
    private(set) var byConditions: [ReceptionConditions: Errors] = [:]

    /// Stores the truth of a fix before it is sent; forged fixes do not count.
    mutating func expect(_ truth: FixGroundTruth) {
        guard !truth.isForged else { return }
        pending[Fix(driverID: truth.driverID, sessionID: truth.sessionID, sequence: truth.sequence)] = truth
    }

    mutating func add(_ verdict: VerdictRecord) {
        guard let sequence = verdict.sequence else { return }
        addVerdict(
            on: Fix(driverID: verdict.driverID.string, sessionID: verdict.sessionID.string, sequence: sequence),
            reported: verdict.raw.coordinate, estimate: verdict.estimate?.coordinate)
    }

    /// Adds the verdict on a fix; `estimate` is the smoothed position, `nil` if the fix was not used.
    mutating func addVerdict(on fix: Fix, reported: Coordinate, estimate: Coordinate?) {
        guard let truth = pending.removeValue(forKey: fix), let estimate else { return }
        let raw = Geodesy.distanceMeters(from: truth.coordinate, to: reported)
        let smoothed = Geodesy.distanceMeters(from: truth.coordinate, to: estimate)
        all.add(raw: raw, smoothed: smoothed)
        if let conditions = truth.conditions {
            byConditions[conditions, default: Errors()].add(raw: raw, smoothed: smoothed)
        }
    }

    var count: Int { all.count }

    /// Root mean square errors in metres; `nil` if no fix could be compared.
    var rootMeanSquares: RootMeanSquares? { all.rootMeanSquares }

    /// The groups by receiver and surroundings, in the order in which the report lists them.
    var groups: [(conditions: ReceptionConditions, count: Int, errors: RootMeanSquares)] {
        ReceptionConditions.all.compactMap { conditions in
            guard let group = byConditions[conditions], let errors = group.rootMeanSquares else { return nil }
            return (conditions, group.count, errors)
        }
    }
}
