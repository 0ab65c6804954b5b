/// A range of seconds to arrival, the lower bound included and the upper not.
package struct HorizonBucket: Sendable, Hashable, Codable {
    package var fromSeconds: Double
    package var toSeconds: Double

    package init(minutes from: Double, _ to: Double) {
        fromSeconds = from * 60
        toSeconds = to * 60
    }

    package func contains(_ seconds: Double) -> Bool { seconds >= fromSeconds && seconds < toSeconds }

    /// `3–6 min`.
    package var name: String { "\(Int(fromSeconds / 60))–\(Int(toSeconds / 60)) min" }

    /// By time to the actual arrival.
    package static let reported = [
        HorizonBucket(minutes: 0, 3), HorizonBucket(minutes: 3, 6), HorizonBucket(minutes: 6, 10),
        HorizonBucket(minutes: 10, 15), HorizonBucket(minutes: 15, 30),
    ]

    /// All of them.
    package static let whole = HorizonBucket(minutes: 0, 30)
}
