import TestSupport
import Testing

@testable import Domain
@testable import Evaluation
@testable import Support

/// A window that smooths the fixes of a partition with later fixes.
@Suite struct FixedLagWindowTests {
    /// Record of a partition, with or without a fix.
    private struct Item {
        var offset: Int64
        var second: Double
        var driver: String
        var fix: FilteredFix?

        var time: Timestamp { Timestamp(milliseconds: Int64(second * 1000)) }
    }

    private struct Emitted: Equatable {
        var driver: String
        var offset: Int64
        var fix: SmoothedFix
    }

    private func fix(_ second: Double, east: Double) -> FilteredFix {
        var state = MotionState()
        state.isStarted = true
        KinematicEstimate(mean: SIMD4(east, 0, 10, 0), positionVariance: 25, velocityVariance: 4).store(
            into: &state, plane: TangentPlane(origin: Coordinate(latitude: 10, longitude: 20)))
        return FilteredFix(state, accuracyMeters: 8, fixedAt: Timestamp(milliseconds: Int64(second * 1000)))
    }

    /// Returns records of a few drivers whose stream time advances, stays, steps back slightly and jumps.
    private func partition(seed: UInt64, count: Int = 400) -> [Item] {
        var generator = SeededGenerator(seed: seed)
        var second = 1_000_000.0
        return (0..<count).map { index in
            switch Int.random(in: 0..<40, using: &generator) {
            case 0: second += 17
            case 1: second += 70
            case 2: second -= 0.5
            case 3...10: break
            default: second += Double.random(in: 0..<1.5, using: &generator)
            }
            let driver = "d\(Int.random(in: 0..<5, using: &generator))"
            let isFix = Int.random(in: 0..<10, using: &generator) > 0
            let east = 10 * (second - 1_000_000) + 5 * generator.normal()
            return Item(
                offset: Int64(100 + 2 * index), second: second, driver: driver,
                fix: isFix ? fix(second, east: east) : nil)
        }
    }

    private func process(_ item: Item, into window: FixedLagWindow<Int64>) -> [Emitted] {
        var emitted: [Emitted] = []
        window.advance(to: item.time, offset: item.offset) {
            emitted.append(Emitted(driver: $0.string, offset: $1, fix: $2))
        }
        if let fix = item.fix {
            ByteSlice.withBytes(of: item.driver) { window.append(fix, of: $0, label: item.offset) }
        }
        return emitted
    }

    @Test("each fix is emitted once, in order, at the end of the next period")
    func order() {
        let window = FixedLagWindow<Int64>(periodSeconds: 10)
        var emitted: [(offset: Int64, at: Int)] = []
        for second in 0..<100 {
            let time = Double(second)
            let item = Item(offset: Int64(second), second: time, driver: "d", fix: fix(time, east: 0))
            for fix in process(item, into: window) { emitted.append((fix.offset, second)) }
            window.commit()
        }
        #expect(emitted.map(\.offset) == Array(0..<80))
        for (offset, at) in emitted { #expect(at == (Int(offset) / 10 + 2) * 10) }
    }

    @Test("a window that resumes where another stopped emits the remaining fixes, bit for bit")
    func resumed() {
        for seed in [1, 2, 3, 4] as [UInt64] {
            let items = partition(seed: seed)
            let whole = FixedLagWindow<Int64>(periodSeconds: 10)
            let all = items.flatMap { item in
                defer { whole.commit() }
                return process(item, into: whole)
            }
            #expect(all.count > 100)
            for cut in stride(from: 0, to: items.count, by: 7) {
                let first = FixedLagWindow<Int64>(periodSeconds: 10)
                var emitted: [Emitted] = []
                for item in items[..<cut] {
                    emitted += process(item, into: first)
                    first.commit()
                }
                let second = FixedLagWindow<Int64>(periodSeconds: 10)
                for item in items where item.offset >= first.resumeOffset ?? 0 {
                    emitted += process(item, into: second)
                }
                #expect(emitted == all, "seed \(seed), cut before record \(cut)")
            }
        }
    }

    @Test("records read again after a failure are emitted once")
    func rolledBack() {
        for seed in [5, 6, 7] as [UInt64] {
            let items = partition(seed: seed)
            let whole = FixedLagWindow<Int64>(periodSeconds: 10)
            let all = items.flatMap { process($0, into: whole) }
            let window = FixedLagWindow<Int64>(periodSeconds: 10)
            var emitted: [Emitted] = []
            var generator = SeededGenerator(seed: seed)
            var next = 0
            while next < items.count {
                let batch = items[next..<min(items.count, next + Int.random(in: 1..<60, using: &generator))]
                let batchEmitted = batch.flatMap { process($0, into: window) }
                if Bool.random(using: &generator) {
                    window.rollback()
                } else {
                    window.commit()
                    emitted += batchEmitted
                    next = batch.endIndex
                }
            }
            #expect(emitted == all, "seed \(seed)")
        }
    }

    @Test("a period ends early when the window has its maximum number of fixes", arguments: [4, 5, 6])
    func full(count: Int) {
        let window = FixedLagWindow<Int64>(periodSeconds: 10, maximumFixes: 5)
        var emitted: [Int64] = []
        for index in 0..<count + 5 {
            let fix = fix(100 + 0.1 * Double(index), east: 0)
            let item = Item(offset: Int64(index), second: 100, driver: "d", fix: fix)
            emitted += process(item, into: window).map(\.offset)
            window.commit()
        }
        // The first period ends before the sixth fix, the second before the eleventh fix, which emits the first period.
        #expect(emitted == (count == 6 ? [0, 1, 2, 3, 4] : []))
    }

    @Test("a jump of stream time over two periods emits all earlier fixes")
    func leap() {
        for (second, count) in [(19.9, 1), (20, 1), (29.9, 1), (30, 2)] {
            let window = FixedLagWindow<Int64>(periodSeconds: 10)
            _ = process(Item(offset: 0, second: 1, driver: "d", fix: fix(1, east: 0)), into: window)
            _ = process(Item(offset: 1, second: 11, driver: "d", fix: fix(11, east: 0)), into: window)
            let emitted = process(Item(offset: 2, second: second, driver: "d", fix: nil), into: window)
            #expect(emitted.count == (second < 20 ? 0 : count), "at \(second) s")
        }
    }

    @Test("positions smoothed later are nearer to the true positions of simulated drives than live positions")
    func nearer() throws {
        let scenario = try #require(SmoothingScenario.all.first { $0.name == "correlated 5 m, every 4 s" })
        let traces = scenario.traces(seeds: 1...4)
        let history = try #require(SmoothingScore.historyRatio(traces))
        #expect(history < 0.97 * (try #require(scenario.score(seeds: 1...4).ratio)))
    }
}
