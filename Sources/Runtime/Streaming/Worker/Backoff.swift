/// Exponential backoff with an upper bound, and with jitter so that many processes do not retry at once.
package struct Backoff {
    let shortest: Duration
    let longest: Duration
    package private(set) var attempts = 0

    package init(shortest: Duration = .milliseconds(100), longest: Duration = .seconds(5)) {
        self.shortest = shortest
        self.longest = longest
    }

    /// Returns the next wait: 50 to 100 % of min(`shortest` · 2^attempts, `longest`).
    mutating func next(using generator: inout some RandomNumberGenerator) -> Duration {
        let full = min(longest, shortest * (1 << min(attempts, 16)))
        attempts += 1
        return full * Double.random(in: 0.5...1, using: &generator)
    }

    package mutating func next() -> Duration {
        var generator = SystemRandomNumberGenerator()
        return next(using: &generator)
    }

    package mutating func reset() { attempts = 0 }
}
