/// How often something may be done: at a steady rate, and some times at once after a pause.
package struct RateLimit: Sendable, Equatable {
    /// How many in each period, from 1.
    package var count: Int
    /// The period, in milliseconds, from 1.
    package var periodMilliseconds: Int
    /// How many at once, from 1.
    package var burst: Int

    package init(count: Int, periodMilliseconds: Int, burst: Int) {
        self.count = count
        self.periodMilliseconds = periodMilliseconds
        self.burst = burst
    }

    private static let maximumCount = 1_000_000
    /// A day.
    private static let maximumPeriodMilliseconds = 86_400_000

    /// What is wrong with the limit, empty when nothing is.
    package func problems() -> [String] {
        var problems: [String] = []
        if !(1...Self.maximumCount).contains(count) { problems.append("A rate is 1 to 1,000,000 in a period.") }
        if !(1...Self.maximumPeriodMilliseconds).contains(periodMilliseconds) {
            problems.append("The period of a rate is 1 ms to a day.")
        }
        if !(1...Self.maximumCount).contains(burst) { problems.append("A burst is 1 to 1,000,000.") }
        return problems
    }

    /// How long an empty bucket takes to be full again, in milliseconds.
    var fillMilliseconds: Int64 {
        let parts = Int64(burst) * Int64(periodMilliseconds)
        return (parts + Int64(count) - 1) / Int64(count)
    }
}
