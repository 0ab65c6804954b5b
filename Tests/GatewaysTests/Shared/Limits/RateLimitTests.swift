import Testing

@testable import Gateways

@Suite("Rate limits")
struct RateLimitTests {
    @Test(
        "a limit is valid if each value is within its bounds",
        arguments: [
            (1, 1, 1, true), (1_000_000, 86_400_000, 1_000_000, true), (0, 1, 1, false), (1, 0, 1, false),
            (1, 1, 0, false), (1_000_001, 1, 1, false), (1, 86_400_001, 1, false), (1, 1, 1_000_001, false),
        ])
    func bounds(count: Int, period: Int, burst: Int, isValid: Bool) {
        #expect(RateLimit(count: count, periodMilliseconds: period, burst: burst).isValid == isValid)
    }

    @Test("the fill time is the burst divided by the rate, rounded up")
    func fill() {
        #expect(RateLimit(count: 1, periodMilliseconds: 30_000, burst: 5).fillMilliseconds == 150_000)
        #expect(RateLimit(count: 3, periodMilliseconds: 1000, burst: 1).fillMilliseconds == 334)
    }
}
