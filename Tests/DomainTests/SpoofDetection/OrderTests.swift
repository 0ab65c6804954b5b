import Testing

@testable import Domain

@Suite struct OrderTests {
    private func numbered() -> TestDriver {
        let driver = TestDriver()
        driver.template.sessionHash = 77
        return driver
    }

    @Test("the next sequence is accepted, and skipped sequences count as lost")
    func gaps() {
        let driver = numbered()
        #expect(driver.send(0, at: 0, sequence: 100).lostFixes == 0)
        #expect(driver.send(10, at: 1, sequence: 101).lostFixes == 0)
        let result = driver.send(50, at: 5, sequence: 105)
        #expect(result.verdict == .accepted && result.lostFixes == 3)
    }

    @Test("the same sequence with the same payload is a duplicate, with another payload a replay")
    func repeats() {
        let driver = numbered()
        let first = driver.fix(0, at: 0, sequence: 100)
        #expect(driver.evaluate(first).verdict == .accepted)
        driver.send(10, at: 1, sequence: 101)
        #expect(driver.evaluate(first).verdict == .duplicate)
        let forged = driver.send(500, at: 2, sequence: 100)
        #expect(forged.verdict == .rejected && forged.reasons.contains(.sequenceReplay))
        #expect(forged.warnings.map(\.reason) == [.sequenceReplay])
    }

    @Test(
        "content is compared for the last eight sequences; older repetitions are recognised by their device time",
        arguments: [7, 8])
    func oldRepeats(distance: Int64) {
        let driver = numbered()
        let first = driver.fix(0, at: 0, sequence: 100)
        _ = driver.evaluate(first)
        for step in 1...distance { driver.send(Double(step) * 10, at: Double(step), sequence: 100 + step) }
        #expect(driver.evaluate(first).verdict == .duplicate)
        #expect(driver.send(0, at: 20, sequence: 100).reasons.contains(.sequenceReplay))
    }

    @Test("an unseen lower sequence is late, does not change the position, and is a duplicate the second time")
    func late() {
        let driver = numbered()
        driver.send(0, at: 0, sequence: 100)
        let missing = driver.fix(10, at: 1, sequence: 101)
        driver.send(20, at: 2, sequence: 102)
        let before = driver.state
        let result = driver.evaluate(missing)
        #expect(result.verdict == .late && result.estimate == nil)
        #expect(result.fixedAt == TestDriver.start.advanced(bySeconds: 1))
        #expect(driver.state.motion == before.motion && driver.state.lastAccepted == before.lastAccepted)
        #expect(driver.evaluate(missing).verdict == .duplicate)
    }

    @Test("fixes of a cached batch are late if their sequences are lower than a live fix's, else accepted")
    func batches() {
        let driver = numbered()
        driver.send(0, at: 0, sequence: 10)
        driver.send(2000, at: 200, sequence: 210)
        for sequence in [11, 120, 209, 60] as [Int64] {
            var fix = driver.fix(Double(sequence), at: Double(sequence - 10), sequence: sequence)
            fix.isBatched = true
            #expect(driver.evaluate(fix, receivedAt: 205).verdict == .late)
        }
        for sequence in 211...214 as ClosedRange<Int64> {
            var fix = driver.fix(2000 + Double(sequence), at: Double(sequence), sequence: sequence)
            fix.isBatched = true
            #expect(driver.evaluate(fix, receivedAt: 260).verdict == .accepted)
        }
    }

    @Test("a sequence before the first received sequence is late")
    func beforeTheFirst() {
        let driver = numbered()
        driver.send(10, at: 1, sequence: 2)
        #expect(driver.send(0, at: 0, sequence: 1).verdict == .late)
    }

    @Test("four ranges of missing sequences are remembered, and split when a sequence arrives")
    func ranges() {
        var missing = MissingSequences()
        for start in stride(from: Int64(10), through: 40, by: 10) { missing.add(from: start, through: start + 5) }
        // Splitting a range at 12 gives five ranges, so the oldest (10 and 11) is dropped.
        let arrived: [Int64] = [12, 12, 10, 13, 15, 14, 14, 20, 45, 16, 46]
        let removed = arrived.map { missing.remove($0) }
        #expect(removed == [true, false, false, true, true, true, false, true, true, false, false])
    }

    @Test("ranges of missing sequences work where the low 32 bits wrap around")
    func wrappingRanges() {
        var missing = MissingSequences()
        missing.add(from: (1 << 32) - 2, through: (1 << 32) + 2)
        let arrived: [Int64] = [(1 << 32) - 1, 1 << 32, (1 << 32) + 2, (1 << 32) + 3]
        let removed = arrived.map { missing.remove($0) }
        #expect(removed == [true, true, true, false])
    }

    @Test("a new session starts a new numbering")
    func newSession() {
        let driver = numbered()
        driver.send(0, at: 0, sequence: 500)
        driver.template.sessionHash = 78
        #expect(driver.send(10, at: 1, sequence: 3).verdict == .accepted)
        #expect(driver.send(20, at: 2, sequence: 4).verdict == .accepted)
    }

    @Test("an older fix of the previous session is late")
    func oldSession() {
        let driver = numbered()
        driver.send(0, at: 0, sequence: 500)
        driver.template.sessionHash = 78
        driver.send(20, at: 2, sequence: 1)
        driver.template.sessionHash = 77
        #expect(driver.send(10, at: 1, sequence: 501).verdict == .late)
        driver.template.sessionHash = 78
        #expect(driver.send(30, at: 3, sequence: 2).verdict == .accepted)
    }

    @Test(
        "a sequence below 10 with a newer device time is a restart, with an older device time it is not",
        arguments: [(0, 5.0, true), (9, 5, true), (10, 5, false), (0, -5, false), (9, -5, false)])
    func restart(sequence: Int64, seconds: Double, starts: Bool) {
        let driver = numbered()
        for step in 0..<50 { driver.send(Double(step), at: -50 + Double(step), sequence: 100 + Int64(step)) }
        #expect((driver.send(60, at: seconds, sequence: sequence).verdict == .accepted) == starts)
    }

    @Test("a restart without device times is recognised by the sequence alone")
    func restartWithoutDeviceTime() {
        let driver = numbered()
        for sequence in [100, 101, 0, 1, 2] as [Int64] {
            var fix = driver.fix(Double(sequence), at: 0, sequence: sequence)
            fix.deviceAt = nil
            #expect(driver.evaluate(fix).verdict == .accepted)
        }
    }

    @Test("a corrupt sequence costs at most four later fixes")
    func corruptSequence() {
        for corrupt in [5_000, 1_000_000, Int64.max] as [Int64] {
            let driver = numbered()
            driver.send(0, at: 0, sequence: 100)
            driver.send(10, at: 1, sequence: corrupt)
            let verdicts = (2..<10).map {
                driver.send(Double($0) * 10, at: Double($0), sequence: 100 + Int64($0)).verdict
            }
            #expect(verdicts.suffix(4).allSatisfy { $0 == .accepted }, "\(corrupt): \(verdicts)")
        }
    }

    @Test("extreme sequences do not trap", arguments: [Int64.min, -1, 0, .max])
    func extremes(sequence: Int64) {
        for first in [Int64.min, 0, .max] {
            let driver = numbered()
            driver.send(0, at: 0, sequence: first)
            _ = driver.send(0, at: 1, sequence: sequence)
            _ = driver.send(0, at: 2, sequence: first)
        }
    }

    @Test("without sequences, fixes are ordered by device time; an equal time with other content is in order")
    func deviceTime() {
        let driver = TestDriver()
        let first = driver.fix(0, at: 0)
        #expect(driver.evaluate(first).verdict == .accepted)
        #expect(driver.evaluate(first).verdict == .duplicate)
        #expect(driver.send(5, at: 0).verdict == .accepted)
        #expect(driver.send(0, at: -1).verdict == .late)
        #expect(driver.send(10, at: 1).verdict == .accepted)
    }

    @Test("without sequences and device times, fixes are ordered by arrival")
    func arrival() {
        let driver = TestDriver()
        for second in 0..<5 {
            var fix = driver.fix(Double(second), at: 0)
            fix.deviceAt = nil
            #expect(driver.evaluate(fix, receivedAt: Double(second)).verdict == .accepted)
        }
    }
}
