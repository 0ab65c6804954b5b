import Domain
import Recordings
import Support

/// How soon the position shown is right again after a phone was off, and how often it went along with an outlier.
package struct RecoveryScore: Sendable {
    /// How many fixes each recovery took: one when the first right fix was shown as such.
    package private(set) var fixes: [Int] = []
    /// The same in seconds from the first right fix on.
    package private(set) var seconds: [Double] = []
    /// Positions of recoveries, until they are right, and how many of them are within the accuracy given.
    package private(set) var wrong = 0
    package private(set) var wrongWithinAccuracy = 0
    /// Excursions during which, or soon after which, the position shown was nearer to where the phone was off to than
    /// to the truth.
    package private(set) var followed = 0

    /// Farther off than the phone itself by this, in metres, is not recovered: a quarter of the shortest excursion.
    private static let toleranceMeters = 5.0
    /// A recovery within three fixes counts, and at higher rates one within three seconds.
    private static let soonFixes = 3
    private static let soonSeconds = 3.0

    package init() {}

    package var excursions: Int { fixes.count }

    package var shareSoon: Double? {
        guard !fixes.isEmpty else { return nil }
        let soon = zip(fixes, seconds).count { $0 <= Self.soonFixes || $1 <= Self.soonSeconds }
        return Double(soon) / Double(fixes.count)
    }

    package var shareFollowed: Double? { fixes.isEmpty ? nil : Double(followed) / Double(fixes.count) }

    var shareHeldOff: Double? { shareFollowed.map { 1 - $0 } }

    package var wrongShareWithinAccuracy: Double? { wrong > 0 ? Double(wrongWithinAccuracy) / Double(wrong) : nil }

    /// Adds the excursions of one trace.
    mutating func add(_ trace: RecordedTrace, _ excursions: [Excursion], settings: TrackingSettings) {
        let shown = ShownTrack.judged(trace, settings: settings)
        let start = trace.fixes[0].deviceAt ?? Timestamp(milliseconds: 0)
        let times = trace.fixes.map { $0.deviceAt.map { $0.seconds(since: start) } ?? 0 }
        for excursion in excursions {
            let rest = times.indices.filter {
                (excursion.endSeconds..<excursion.endSeconds + RecoveryScenario.restSeconds).contains(times[$0])
            }
            addRecovery(trace, shown, rest, times)
            let off = times.indices.filter {
                (excursion.beginSeconds..<excursion.endSeconds + RecoveryScenario.restSeconds).contains(times[$0])
            }
            if follows(trace, shown, off, excursion) { followed += 1 }
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
            let error = Geodesy.distanceMeters(from: truth, to: position.coordinate)
            if error <= accuracy { wrongWithinAccuracy += 1 }
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
