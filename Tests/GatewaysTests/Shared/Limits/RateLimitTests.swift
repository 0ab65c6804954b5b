import Testing

@testable import Gateways

@Suite("A rate limit")
struct RateLimitTests {
    @Test(
        "a limit at its bounds is accepted, and one beyond them is named",
        arguments: [
            (1, 1, 1, 0), (1_000_000, 86_400_000, 1_000_000, 0), (0, 1, 1, 1), (1, 0, 1, 1), (1, 1, 0, 1),
            (1_000_001, 1, 1, 1), (1, 86_400_001, 1, 1), (1, 1, 1_000_001, 1), (0, 0, 0, 3),
        ])
    func problems(count: Int, period: Int, burst: Int, expected: Int) {
        #expect(RateLimit(count: count, periodMilliseconds: period, burst: burst).problems().count == expected)
    }

    @Test("an empty bucket is full after the burst's share of the rate, rounded up")
    func fill() {
        #expect(RateLimit(count: 1, periodMilliseconds: 30_000, burst: 5).fillMilliseconds == 150_000)
        #expect(RateLimit(count: 3, periodMilliseconds: 1000, burst: 1).fillMilliseconds == 334)
    }
}
