import Domain
import Recordings

/// Errors of raw and smoothed positions; scores of several traces can be merged.
package struct SmoothingScore: Sendable {
    /// Counts of errors within the stated accuracy.
    package struct Honesty: Sendable {
        package private(set) var count = 0
        package private(set) var within = 0
        package private(set) var withinTwice = 0

        mutating func add(error: Double, accuracyMeters: Double?) {
            guard let accuracyMeters else { return }
            count += 1
            if error <= accuracyMeters { within += 1 }
            if error <= 2 * accuracyMeters { withinTwice += 1 }
        }

        mutating func merge(_ other: Honesty) {
            count += other.count
            within += other.within
            withinTwice += other.withinTwice
        }

        /// `nil` if no accuracy was stated.
        package var shareWithin: Double? { count > 0 ? Double(within) / Double(count) : nil }
        package var shareWithinTwice: Double? { count > 0 ? Double(withinTwice) / Double(count) : nil }
    }

    /// Measurements of one series of positions.
    package struct Side: Sendable {
        package internal(set) var errors = ErrorDistribution()
        package internal(set) var honesty = Honesty()
        /// Sum of the errors along the direction of travel, in metres; behind is negative.
        var alongMeters = 0.0
        /// Path length from fix to fix while the vehicle stands, in metres.
        var standingPathMeters = 0.0

        mutating func merge(_ other: Side) {
            errors.merge(other.errors)
            honesty.merge(other.honesty)
            alongMeters += other.alongMeters
            standingPathMeters += other.standingPathMeters
        }
    }

    package private(set) var fixes = 0
    package private(set) var fixesWithoutEstimate = 0
    package private(set) var raw = Side()
    package private(set) var smoothed = Side()
    package private(set) var baselines: [BaselineFilter: ErrorDistribution] = [:]
    /// ``Honesty`` of the smoothed positions in consecutive blocks of ``blockSeconds``.
    package private(set) var blocks: [Honesty] = []
    package private(set) var standingSeconds = 0.0
    private var moving = 0

    /// Length of a block: longer than most errors last, so that blocks are nearly independent.
    private static let blockSeconds = 60.0

    package init() {}

    /// Scores one trace, with and without smoothing, and the filters for comparison.
    package init(
        _ trace: RecordedTrace, baselines: [BaselineFilter] = [], settings: TrackingSettings = TrackingSettings()
    ) {
        let shown = ShownTrack.smoothed(trace, settings: settings)
        fixes = trace.fixes.count
        fixesWithoutEstimate = shown.isFresh.count { !$0 }
        let raw = ShownTrack.raw(trace)
        addErrors(trace, raw, shown)
        addWander(trace, raw, shown)
        for baseline in baselines { addErrors(trace, of: baseline, shown) }
    }

    package mutating func merge(_ other: SmoothingScore) {
        fixes += other.fixes
        fixesWithoutEstimate += other.fixesWithoutEstimate
        raw.merge(other.raw)
        smoothed.merge(other.smoothed)
        for (baseline, errors) in other.baselines {
            baselines[baseline, default: ErrorDistribution()].merge(errors)
        }
        blocks += other.blocks
        standingSeconds += other.standingSeconds
        moving += other.moving
    }

    private mutating func addErrors(_ trace: RecordedTrace, _ unfiltered: ShownTrack, _ shown: ShownTrack) {
        var ends = -Double.infinity
        for (index, truth) in trace.truth.enumerated() {
            guard let truth, let estimate = shown.positions[index], let fix = unfiltered.positions[index] else {
                continue
            }
            let course = Self.course(of: trace, at: index)
            if course != nil { moving += 1 }
            Self.add(fix, to: &raw, truth: truth, course: course)
            Self.add(estimate, to: &smoothed, truth: truth, course: course)
            let seconds = trace.seconds(from: 0, to: index) ?? 0
            if seconds >= ends {
                blocks.append(Honesty())
                ends = seconds + Self.blockSeconds
            }
            let error = Geodesy.distanceMeters(from: truth, to: estimate.coordinate)
            blocks[blocks.count - 1].add(error: error, accuracyMeters: estimate.accuracyMeters)
        }
    }

    private static func add(
        _ position: ShownTrack.Position, to side: inout Side, truth: Coordinate,
        course: (east: Double, north: Double)?
    ) {
        let offset = TangentPlane(origin: truth).point(of: position.coordinate)
        let error = Geodesy.distanceMeters(from: truth, to: position.coordinate)
        side.errors.add(error)
        side.honesty.add(error: error, accuracyMeters: position.accuracyMeters)
        if let course { side.alongMeters += offset.east * course.east + offset.north * course.north }
    }

    /// Scores a baseline at the fixes at which the smoothed track is scored.
    private mutating func addErrors(_ trace: RecordedTrace, of baseline: BaselineFilter, _ shown: ShownTrack) {
        let track = baseline.track(of: trace)
        var errors = ErrorDistribution()
        for (index, truth) in trace.truth.enumerated() {
            guard let truth, shown.positions[index] != nil, let position = track.positions[index] else { continue }
            errors.add(Geodesy.distanceMeters(from: truth, to: position.coordinate))
        }
        baselines[baseline] = errors
    }

    /// Returns the reference's direction of travel since the previous fix; `nil` below 2 m/s or after over 5 s.
    private static func course(of trace: RecordedTrace, at index: Int) -> (east: Double, north: Double)? {
        guard index > 0, let before = trace.truth[index - 1], let now = trace.truth[index],
            let seconds = trace.seconds(from: index - 1, to: index), seconds > 0, seconds <= 5
        else { return nil }
        let step = TangentPlane(origin: before).point(of: now)
        let length = (step.east * step.east + step.north * step.north).squareRoot()
        guard length >= 2 * seconds else { return nil }
        return (step.east / length, step.north / length)
    }

    private mutating func addWander(_ trace: RecordedTrace, _ unfiltered: ShownTrack, _ shown: ShownTrack) {
        for stretch in StandingStretches(trace).stretches {
            standingSeconds += trace.seconds(from: stretch.lowerBound, to: stretch.upperBound) ?? 0
            for index in stretch.dropFirst() {
                raw.standingPathMeters += unfiltered.step(to: index)
                smoothed.standingPathMeters += shown.step(to: index)
            }
        }
    }
}

extension SmoothingScore {
    /// Smoothed over raw RMSE; below 1 is better than raw; `nil` without a reference.
    package var ratio: Double? {
        guard let own = smoothed.errors.rootMeanSquareMeters, let rawRmse = raw.errors.rootMeanSquareMeters, rawRmse > 0
        else { return nil }
        return own / rawRmse
    }

    /// Returns the mean error along the direction of travel at 2 m/s or more, in metres; behind is negative.
    package func alongMeters(_ side: Side) -> Double? { moving > 0 ? side.alongMeters / Double(moving) : nil }

    /// Returns the path of the position per minute while the vehicle stands, in metres.
    package func wanderMetersPerMinute(_ side: Side) -> Double? {
        standingSeconds > 0 ? side.standingPathMeters / standingSeconds * 60 : nil
    }
}

extension ShownTrack {
    /// Returns how far the position moved with the fix `index`, in metres.
    fileprivate func step(to index: Int) -> Double {
        guard let before = positions[index - 1], let now = positions[index] else { return 0 }
        return Geodesy.distanceMeters(from: before.coordinate, to: now.coordinate)
    }
}

extension SmoothingScore.Side {
    /// Adds the errors of a track against the reference.
    mutating func add(_ track: ShownTrack, of trace: RecordedTrace) {
        for (truth, position) in zip(trace.truth, track.positions) {
            guard let truth, let position else { continue }
            let error = Geodesy.distanceMeters(from: truth, to: position.coordinate)
            errors.add(error)
            honesty.add(error: error, accuracyMeters: position.accuracyMeters)
        }
    }
}
