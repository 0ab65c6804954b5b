import Testing

@testable import Simulation

@Suite("Seeded randomness")
struct RandomSourceTests {
    @Test("the first number equals the first output of xoshiro256++ seeded by SplitMix64")
    func knownValues() {
        // SplitMix64 from 0 gives e220a8397b1dcdaf, 6e789e6aa1b965f4, 06c45d188009454f, f88bb8a8724c81ec; the first
        // output of xoshiro256++ with this state is rotl(s0 + s3, 23) + s0.
        var random = RandomSource(seed: 0)
        let (first, last): (UInt64, UInt64) = (0xe220_a839_7b1d_cdaf, 0xf88b_b8a8_724c_81ec)
        let sum = first &+ last
        #expect(random.next() == ((sum << 23) | (sum >> 41)) &+ first)
    }

    @Test("uniform, normal and exponential numbers have the expected moments")
    func moments() {
        var random = RandomSource(seed: 9)
        let count = 200_000
        func moments(_ draw: (inout RandomSource) -> Double) -> (mean: Double, variance: Double) {
            let values = (0..<count).map { _ in draw(&random) }
            let mean = values.reduce(0, +) / Double(count)
            return (mean, values.map { ($0 - mean) * ($0 - mean) }.reduce(0, +) / Double(count))
        }
        let uniform = moments { $0.uniform() }
        #expect(abs(uniform.mean - 0.5) < 0.005 && abs(uniform.variance - 1.0 / 12) < 0.002)
        let normal = moments { $0.normal() }
        #expect(abs(normal.mean) < 0.01 && abs(normal.variance - 1) < 0.02)
        let exponential = moments { $0.exponential(mean: 3) }
        #expect(abs(exponential.mean - 3) < 0.05 && abs(exponential.variance - 9) < 0.4)
    }

    @Test("an index covers exactly its range")
    func index() {
        var random = RandomSource(seed: 2)
        let seen = Set((0..<1000).map { _ in random.index(below: 7) })
        #expect(seen == Set(0..<7))
    }
}
