import Testing

@testable import Evaluation

@Suite("Pooled share of errors within the stated accuracy")
struct PooledHonestyTests {
    private func block(within: Int, of count: Int) -> SmoothingScore.Honesty {
        var honesty = SmoothingScore.Honesty()
        for index in 0..<count { honesty.add(error: index < within ? 1 : 3, accuracyMeters: 1) }
        return honesty
    }

    @Test("every recording has the same weight, whatever its length")
    func weights() throws {
        let long = Array(repeating: block(within: 60, of: 60), count: 50)
        let pooled = try #require(PooledHonesty([long, [block(within: 0, of: 10)]]))
        #expect(abs(pooled.share - 0.5) < 1e-12)
    }

    @Test("equal blocks give an interval of width 0, and different blocks a wide interval")
    func interval() throws {
        let equal = try #require(PooledHonesty([Array(repeating: block(within: 7, of: 10), count: 9)]))
        #expect(abs(equal.low - 0.7) < 1e-9 && abs(equal.high - 0.7) < 1e-9)
        let mixed = (0..<20).map { block(within: $0.isMultiple(of: 2) ? 10 : 0, of: 10) }
        let pooled = try #require(PooledHonesty([mixed]))
        // Two standard errors of twenty blocks with shares of 0 or 1 are 0.22.
        #expect((0.24...0.36).contains(pooled.low) && (0.64...0.76).contains(pooled.high))
        #expect(pooled == PooledHonesty([mixed]))
    }

    @Test("without a stated accuracy, there is no pooled share")
    func nothing() {
        #expect(PooledHonesty([]) == nil)
        #expect(PooledHonesty([[], [SmoothingScore.Honesty()]]) == nil)
    }

    @Test("a trace of two and a half minutes has three blocks with all its errors")
    func blocks() {
        let trace = SimulatedReceiver().trace(of: SimulatedDrive(seed: 231, seconds: 150), seed: 231)
        let score = SmoothingScore(trace)
        #expect(score.blocks.map(\.count) == [60, 60, 30])
        #expect(score.blocks.reduce(0) { $0 + $1.within } == score.smoothed.honesty.within)
    }
}
