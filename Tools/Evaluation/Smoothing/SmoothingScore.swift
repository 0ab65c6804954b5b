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
        /// Distances from the reference, in metres.
        package internal(set) var errors: [Double] = []
        package internal(set) var honesty = Honesty()
        /// Path length from fix to fix while the vehicle stands, in metres.
        var standingPathMeters = 0.0

        mutating func merge(_ other: Side) {
            errors += other.errors
            honesty.merge(other.honesty)
            standingPathMeters += other.standingPathMeters
        }

        /// Adds the errors of a track at the fixes for which `shown` (by default, the track) has a position.
        mutating func add(_ track: ShownTrack, of trace: RecordedTrace, where shown: ShownTrack? = nil) {
            for (index, truth) in trace.truth.enumerated() {
                guard let truth, let position = track.positions[index], (shown ?? track).positions[index] != nil
                else { continue }
                let error = Geodesy.distanceMeters(from: truth, to: position.coordinate)
                errors.append(error)
                honesty.add(error: error, accuracyMeters: position.accuracyMeters)
            }
        }
    }

    package private(set) var raw = Side()
    package private(set) var smoothed = Side()
    package private(set) var baselines: [BaselineFilter: Side] = [:]
    /// ``Honesty`` of the smoothed positions in consecutive blocks of ``blockSeconds``.
    package private(set) var blocks: [Honesty] = []
    package private(set) var standingSeconds = 0.0

    /// Length of a block in seconds: most errors are shorter, so that blocks are nearly independent.
    private static let blockSeconds = 60.0

    package init() {}

    /// Scores one trace: raw, smoothed, and filtered by each of `baselines`.
    package init(_ trace: RecordedTrace, baselines: [BaselineFilter] = []) {
        let (unfiltered, shown) = (ShownTrack.raw(trace), ShownTrack.smoothed(trace))
        raw.add(unfiltered, of: trace, where: shown)
        smoothed.add(shown, of: trace)
        for baseline in baselines {
            self.baselines[baseline, default: Side()].add(baseline.track(of: trace), of: trace, where: shown)
        }
        addBlocks(trace, shown)
        addWander(trace, unfiltered, shown)
    }

    package mutating func merge(_ other: SmoothingScore) {
        raw.merge(other.raw)
        smoothed.merge(other.smoothed)
        baselines.merge(other.baselines) { mine, others in
            var merged = mine
            merged.merge(others)
            return merged
        }
        blocks += other.blocks
        standingSeconds += other.standingSeconds
    }

    private mutating func addBlocks(_ trace: RecordedTrace, _ shown: ShownTrack) {
        var ends = -Double.infinity
        for (index, truth) in trace.truth.enumerated() {
            guard let truth, let estimate = shown.positions[index] else { continue }
            let seconds = trace.seconds(from: 0, to: index) ?? 0
            if seconds >= ends {
                blocks.append(Honesty())
                ends = seconds + Self.blockSeconds
            }
            let error = Geodesy.distanceMeters(from: truth, to: estimate.coordinate)
            blocks[blocks.count - 1].add(error: error, accuracyMeters: estimate.accuracyMeters)
        }
    }

    private mutating func addWander(_ trace: RecordedTrace, _ unfiltered: ShownTrack, _ shown: ShownTrack) {
        for stretch in StandingStretches.of(trace) {
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
    package var ratio: Double? { smoothed.errors.rmseRatio(to: raw.errors) }

    /// Returns the path of the position per minute while the vehicle stands, in metres.
    package func wanderMetersPerMinute(_ side: Side) -> Double? {
        standingSeconds > 0 ? side.standingPathMeters / standingSeconds * 60 : nil
    }

    /// Returns the RMSE of the history, whose positions are smoothed with later fixes, over that of the raw fixes.
    static func historyRatio(_ traces: [RecordedTrace]) -> Double? { ratio(traces, variants: [ShownTrack.history]) }

    /// Returns the ratio of the positions that riders see on a trip with a known route, over 12 routes with different
    /// map errors; `nil` if no reference is long enough for a trip.
    static func knownRouteRatio(_ traces: [RecordedTrace]) -> Double? {
        ratio(
            traces.filter { MapRoute(of: $0, seed: 1) != nil },
            variants: (UInt64(1)...12).map { seed in
                { trace in MapRoute(of: trace, seed: seed).map { .published(trace, on: $0) } }
            })
    }

    private static func ratio(_ traces: [RecordedTrace], variants: [(RecordedTrace) -> ShownTrack?]) -> Double? {
        let traces = traces.filter { $0.truth.contains { $0 != nil } }
        var (raw, all) = (Side(), Side())
        for trace in traces { raw.add(.raw(trace), of: trace) }
        for variant in variants {
            for trace in traces { if let track = variant(trace) { all.add(track, of: trace) } }
        }
        return all.errors.rmseRatio(to: raw.errors)
    }
}

extension [Double] {
    /// Root mean square; `nil` without values.
    package var rootMeanSquare: Double? {
        isEmpty ? nil : (reduce(0) { $0 + $1 * $1 } / Double(count)).squareRoot()
    }

    /// Returns the RMSE of these errors over that of `raw`; `nil` without errors.
    func rmseRatio(to raw: [Double]) -> Double? {
        guard let own = rootMeanSquare, let rawRmse = raw.rootMeanSquare, rawRmse > 0 else { return nil }
        return own / rawRmse
    }
}

extension ShownTrack {
    /// Returns the distance by which fix `index` moved the position, in metres.
    fileprivate func step(to index: Int) -> Double {
        guard let before = positions[index - 1], let now = positions[index] else { return 0 }
        return Geodesy.distanceMeters(from: before.coordinate, to: now.coordinate)
    }
}
