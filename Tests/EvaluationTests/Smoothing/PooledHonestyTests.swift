import Testing

@testable import Evaluation

@Suite("The pooled share within the accuracy given")
struct PooledHonestyTests {
    private func stretch(within: Int, of count: Int) -> SmoothingScore.Honesty {
        var honesty = SmoothingScore.Honesty()
        for index in 0..<count { honesty.add(error: index < within ? 1 : 3, accuracyMeters: 1) }
        return honesty
    }

    @Test("every recording counts the same, however long it is")
    func weights() throws {
        let long = Array(repeating: stretch(within: 60, of: 60), count: 50)
        let pooled = try #require(PooledHonesty([long, [stretch(within: 0, of: 10)]]))
        #expect(pooled.recordings == 2)
        #expect(abs(pooled.within.share - 0.5) < 1e-12)
    }

    @Test("stretches that are alike leave no doubt, and stretches that differ do")
    func interval() throws {
        let alike = try #require(PooledHonesty([Array(repeating: stretch(within: 7, of: 10), count: 9)]))
        #expect(abs(alike.within.low - 0.7) < 1e-9 && abs(alike.within.high - 0.7) < 1e-9)
        let mixed = (0..<20).map { stretch(within: $0.isMultiple(of: 2) ? 10 : 0, of: 10) }
        let pooled = try #require(PooledHonesty([mixed]))
        // Two standard errors of twenty stretches that are all or nothing: 0.22.
        #expect((0.24...0.36).contains(pooled.within.low) && (0.64...0.76).contains(pooled.within.high))
        #expect(pooled == PooledHonesty([mixed]))
    }

    @Test("nothing is pooled where no accuracy is given")
    func nothing() {
        #expect(PooledHonesty([]) == nil)
        #expect(PooledHonesty([[], [SmoothingScore.Honesty()]]) == nil)
    }

    @Test("a trace of two and a half minutes has three stretches with all its errors")
    func stretches() {
        let trace = SimulatedReceiver().trace(of: SimulatedDrive(seed: 231, seconds: 150), seed: 231)
        let score = SmoothingScore(trace)
        #expect(score.blocks.map(\.count) == [60, 60, 30])
        #expect(score.blocks.reduce(0) { $0 + $1.within } == score.smoothed.honesty.within)
    }
}
