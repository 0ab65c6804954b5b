/// Rate limit: a steady rate and a burst.
struct RateLimit: Sendable, Equatable {
    /// Events per period, from 1.
    var count: Int
    /// Period in milliseconds, from 1.
    var periodMilliseconds: Int
    /// Maximum number of events at once, from 1.
    var burst: Int

    /// Whether all values are in range: up to a million events per period and at once, and a period of up to a day.
    var isValid: Bool {
        let counts = 1...1_000_000
        return counts.contains(count) && counts.contains(burst) && (1...86_400_000).contains(periodMilliseconds)
    }

    /// Time in which an empty bucket fills up, in milliseconds.
    var fillMilliseconds: Int64 {
        let parts = Int64(burst) * Int64(periodMilliseconds)
        return (parts + Int64(count) - 1) / Int64(count)
    }
}
