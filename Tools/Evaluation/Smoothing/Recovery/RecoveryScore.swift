import Domain
import Recordings
import Support

/// Recovery times after excursions, and the number of excursions that the published position followed.
package struct RecoveryScore: Sendable {
    /// Fixes until each recovery; 1 if the position is correct after the first correct fix.
    package private(set) var fixes: [Int] = []
    /// Number of positions before the recoveries, and how many of these are within the published accuracy.
    package private(set) var wrong = 0
    package private(set) var wrongWithinAccuracy = 0
    /// Number of excursions with a published position nearer to the wrong fixes than to the truth.
    package private(set) var followed = 0

    /// A position is recovered if its error exceeds that of the fix by at most this many metres: a quarter of the
    /// smallest excursion.
    private static let toleranceMeters = 5.0
    /// Maximum fixes of a fast recovery: three seconds after the first correct fix, at a fix per second.
    private static let fastFixes = 4

    package var shareFast: Double? {
        fixes.isEmpty ? nil : Double(fixes.count { $0 <= Self.fastFixes }) / Double(fixes.count)
    }

    package var shareFollowed: Double? { fixes.isEmpty ? nil : Double(followed) / Double(fixes.count) }

    package var wrongShareWithinAccuracy: Double? { wrong > 0 ? Double(wrongWithinAccuracy) / Double(wrong) : nil }

    mutating func add(_ trace: RecordedTrace, _ excursions: [Excursion]) {
        let shown = ShownTrack.smoothed(trace)
        let times = trace.fixes.indices.map { trace.seconds(from: 0, to: $0) ?? 0 }
        for excursion in excursions {
            let end = excursion.endSeconds + RecoveryScenario.restSeconds
            addRecovery(trace, shown, times.indices.filter { (excursion.endSeconds..<end).contains(times[$0]) })
            let affected = times.indices.filter { (excursion.beginSeconds..<end).contains(times[$0]) }
            if follows(trace, shown, affected, excursion) { followed += 1 }
        }
    }

    private mutating func addRecovery(_ trace: RecordedTrace, _ shown: ShownTrack, _ correctFixes: [Int]) {
        guard let first = correctFixes.first else { return }
        let lastWrong = correctFixes.last { index in
            guard let truth = trace.truth[index], let position = shown.positions[index] else { return true }
            let raw = Geodesy.distanceMeters(from: truth, to: trace.fixes[index].coordinate)
            return Geodesy.distanceMeters(from: truth, to: position.coordinate) > raw + Self.toleranceMeters
        }
        let recovered = lastWrong.map { $0 + 1 } ?? first
        fixes.append(recovered - first + 1)
        for index in first..<recovered {
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

package struct RecoveryFigures: Encodable, Sendable, Equatable {
    package var name: String
    package var excursions: Int
    /// Median fixes until the published position is correct again, at best 1.
    package var p50Fixes: Int?
    /// Share of recoveries within three seconds.
    package var shareFast: Double?
    /// Share of outliers that the published position followed; only for `outliers`.
    package var shareFollowed: Double?

    init(_ scenario: RecoveryScenario, _ score: RecoveryScore) {
        name = scenario.name
        excursions = score.fixes.count
        p50Fixes = score.fixes.sorted().quantile(0.5)
        shareFast = score.shareFast
        shareFollowed = scenario.kind == .outliers ? score.shareFollowed : nil
    }
}
