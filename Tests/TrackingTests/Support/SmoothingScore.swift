@testable import Tracking

/// Errors of raw and smoothed positions against the truth.
struct SmoothingScore {
    private(set) var count = 0
    private var rawSquares = 0.0
    private var smoothedSquares = 0.0
    private var within = 0
    private var withinTwo = 0
    private(set) var rawPath = 0.0
    private(set) var smoothedPath = 0.0
    private var last: (raw: Coordinate, smoothed: Coordinate)?

    mutating func add(raw: Coordinate, estimate: Estimate, truth: Coordinate?) {
        if let last {
            rawPath += Geodesy.distanceMeters(from: last.raw, to: raw)
            smoothedPath += Geodesy.distanceMeters(from: last.smoothed, to: estimate.coordinate)
        }
        last = (raw, estimate.coordinate)
        guard let truth else { return }
        let rawError = Geodesy.distanceMeters(from: raw, to: truth)
        let error = Geodesy.distanceMeters(from: estimate.coordinate, to: truth)
        count += 1
        rawSquares += rawError * rawError
        smoothedSquares += error * error
        if error <= estimate.accuracyMeters { within += 1 }
        if error <= 2 * estimate.accuracyMeters { withinTwo += 1 }
    }

    var rawRootMeanSquare: Double { (rawSquares / Double(count)).squareRoot() }
    var rootMeanSquare: Double { (smoothedSquares / Double(count)).squareRoot() }
    /// Smoothed over raw RMSE; under 1 is better than raw.
    var ratio: Double { rootMeanSquare / rawRootMeanSquare }
    /// Share of errors within the accuracy given, and within twice that.
    var coverage: Double { Double(within) / Double(count) }
    var doubleCoverage: Double { Double(withinTwo) / Double(count) }
}

extension SmoothingScore {
    /// Runs the filter alone over fixes with device times; `truth` answers by index.
    static func of(
        _ fixes: [Fix], settings: SmoothingSettings = SmoothingSettings(), truth: (Int) -> Coordinate?
    ) -> SmoothingScore {
        let filter = KinematicFilter(settings: settings)
        var state = MotionState()
        var score = SmoothingScore()
        var previous: Timestamp?
        for (index, fix) in fixes.enumerated() {
            guard let at = fix.deviceAt else { continue }
            let estimate = filter.update(&state, with: fix, after: previous.map { at.seconds(since: $0) })
            previous = at
            score.add(raw: fix.coordinate, estimate: estimate, truth: truth(index))
        }
        return score
    }
}
