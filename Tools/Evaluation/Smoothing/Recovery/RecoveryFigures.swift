/// The figures of one recovery scenario, as they are written.
package struct RecoveryFigures: Encodable, Sendable, Equatable {
    package var name: String
    /// Whether the phone tells an accuracy.
    package var givesAccuracy: Bool
    package var excursions: Int
    /// Fixes until the position shown is right again, 1 at best: the median, 95 of 100, and the most.
    package var p50Fixes: Int
    package var p95Fixes: Int
    package var mostFixes: Int
    /// Share that is right again within three fixes or three seconds.
    package var shareSoon: Double?
    /// Of the positions before that, the share whose error is within the accuracy given.
    package var wrongShareWithinAccuracy: Double?
    /// Of lone outliers only: the share that the position shown went along with.
    package var shareFollowed: Double?

    init(_ scenario: RecoveryScenario, _ score: RecoveryScore) {
        name = scenario.name
        givesAccuracy = scenario.phone.givesAccuracy
        excursions = score.excursions
        let sorted = score.fixes.sorted()
        func quantile(_ share: Double) -> Int {
            sorted.isEmpty ? 0 : sorted[min(sorted.count - 1, Int(share * Double(sorted.count)))]
        }
        (p50Fixes, p95Fixes, mostFixes) = (quantile(0.5), quantile(0.95), sorted.last ?? 0)
        shareSoon = score.shareSoon
        wrongShareWithinAccuracy = score.wrongShareWithinAccuracy
        shareFollowed = scenario.kind == .outliers ? score.shareFollowed : nil
    }
}
