/// Windows of attacks, and those of the same stretches of the same hosts without an attack.
struct MatchedWindows: Sendable {
    /// Since an attack's first forged fix, in seconds: what comes before says how fast it is found, and not how surely.
    static let onsetSeconds = 20.0

    private(set) var forged = WindowScores()
    private(set) var honest = WindowScores()

    mutating func addForged(_ outcomes: [FixOutcome], _ hits: [Bool], in range: Range<Int>) {
        forged.add(outcomes, hits, in: range, onset: Self.onsetSeconds)
    }

    mutating func addHonest(_ outcomes: [FixOutcome], _ hits: [Bool], in range: Range<Int>) {
        honest.add(outcomes, hits, in: range, onset: Self.onsetSeconds)
    }

    mutating func add(_ other: MatchedWindows) {
        forged.add(other.forged)
        honest.add(other.honest)
    }

    static func + (left: MatchedWindows, right: MatchedWindows) -> MatchedWindows {
        var sum = left
        sum.add(right)
        return sum
    }
}
