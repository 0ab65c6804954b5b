import Domain
import Recordings
import Support

/// Recovery times after excursions, and the number of excursions that the published position followed.
package struct RecoveryScore: Sendable {
    /// Fixes until each recovery; 1 if the position is correct after the first correct fix.
    package private(set) var fixes: [Int] = []
    /// Seconds from the first correct fix to each recovery.
    package private(set) var seconds: [Double] = []
    /// Positions before the recoveries, and those of them within the published accuracy.
    package private(set) var wrong = 0
    package private(set) var wrongWithinAccuracy = 0
    /// Excursions with a published position nearer to the wrong fixes than to the truth.
    package private(set) var followed = 0

    /// A position is recovered if its error exceeds that of the fix by at most this many metres: a quarter of the
    /// smallest excursion.
    private static let toleranceMeters = 5.0
    /// A recovery is fast within three fixes, or within three seconds at higher rates.
    private static let fastFixes = 3
    private static let fastSeconds = 3.0

    package init() {}

    package var excursions: Int { fixes.count }

    package var shareFast: Double? {
        guard !fixes.isEmpty else { return nil }
        let fast = zip(fixes, seconds).count { $0 <= Self.fastFixes || $1 <= Self.fastSeconds }
        return Double(fast) / Double(fixes.count)
    }

    package var shareFollowed: Double? { fixes.isEmpty ? nil : Double(followed) / Double(fixes.count) }

    package var wrongShareWithinAccuracy: Double? { wrong > 0 ? Double(wrongWithinAccuracy) / Double(wrong) : nil }

    /// Adds the excursions of one trace.
    mutating func add(_ trace: RecordedTrace, _ excursions: [Excursion], settings: TrackingSettings) {
        let shown = ShownTrack.smoothed(trace, settings: settings)
        let times = trace.fixes.indices.map { trace.seconds(from: 0, to: $0) ?? 0 }
        for excursion in excursions {
            let end = excursion.endSeconds + RecoveryScenario.restSeconds
            addRecovery(trace, shown, times.indices.filter { (excursion.endSeconds..<end).contains(times[$0]) }, times)
            let affected = times.indices.filter { (excursion.beginSeconds..<end).contains(times[$0]) }
            if follows(trace, shown, affected, excursion) { followed += 1 }
        }
    }

    private mutating func addRecovery(
        _ trace: RecordedTrace, _ shown: ShownTrack, _ rest: [Int], _ times: [Double]
    ) {
        guard let first = rest.first else { return }
        let lastWrong = rest.last { index in
            guard let truth = trace.truth[index], let position = shown.positions[index] else { return true }
            let raw = Geodesy.distanceMeters(from: truth, to: trace.fixes[index].coordinate)
            return Geodesy.distanceMeters(from: truth, to: position.coordinate) > raw + Self.toleranceMeters
        }
        let recovered = lastWrong.map { $0 + 1 } ?? first
        fixes.append(recovered - first + 1)
        seconds.append(recovered < times.count ? times[recovered] - times[first] : .infinity)
        for index in first..<min(recovered, times.count) {
            guard let truth = trace.truth[index], let position = shown.positions[index],
                let accuracy = position.accuracyMeters
            else { continue }
            wrong += 1
            if Geodesy.distanceMeters(from: truth, to: position.coordinate) <= accuracy { wrongWithinAccuracy += 1 }
        }
    }

    private func follows(
        _ trace: RecordedTrace, _ shown: ShownTrack, _ indices: [Int], _ excursion: Excursion
    ) -> Bool {
        indices.contains { index in
            guard let truth = trace.truth[index], let position = shown.positions[index] else { return false }
            let error = TangentPlane(origin: truth).point(of: position.coordinate)
            let along = (error.east * excursion.east + error.north * excursion.north) / excursion.meters
            return along > excursion.meters / 2
        }
    }
}

/// Figures of one recovery scenario.
package struct RecoveryFigures: Encodable, Sendable, Equatable {
    package var name: String
    package var excursions: Int
    /// Fixes until the published position is correct again, at best 1: median, 95th percentile and maximum.
    package var p50Fixes: Int
    package var p95Fixes: Int
    package var mostFixes: Int
    /// Share of recoveries within three fixes or three seconds.
    package var shareFast: Double?
    /// Share of the positions before the recovery whose error is within the published accuracy.
    package var wrongShareWithinAccuracy: Double?
    /// Share of outliers that the published position followed; only for `outliers`.
    package var shareFollowed: Double?

    init(_ scenario: RecoveryScenario, _ score: RecoveryScore) {
        name = scenario.name
        excursions = score.excursions
        let sorted = score.fixes.sorted()
        func quantile(_ share: Double) -> Int {
            sorted.isEmpty ? 0 : sorted[min(sorted.count - 1, Int(share * Double(sorted.count)))]
        }
        (p50Fixes, p95Fixes, mostFixes) = (quantile(0.5), quantile(0.95), sorted.last ?? 0)
        shareFast = score.shareFast
        wrongShareWithinAccuracy = score.wrongShareWithinAccuracy
        shareFollowed = scenario.kind == .outliers ? score.shareFollowed : nil
    }
}
