import TestSupport
import Testing

@testable import Domain

@Suite("Fixes with an id and without a sequence")
struct IdentityTests {
    /// Returns `count` fixes of one upload, ten metres and one second apart, each with its own id.
    private func batch(_ driver: TestDriver, _ count: Int, from second: Int, isBatched: Bool = true) -> [Fix] {
        (second..<second + count).map { second in
            var fix = driver.fix(Double(second) * 10, at: Double(second))
            fix.identityHash = UInt64(second + 1) &* 0x9e37_79b9_7f4a_7c15
            fix.isBatched = isBatched
            return fix
        }
    }

    @Test("an upload sent twice is a duplicate the second time, up to 20 fixes", arguments: [1, 5, 10, 20])
    func sentTwice(count: Int) {
        let driver = TestDriver()
        let fixes = batch(driver, count, from: 0)
        #expect(fixes.map { driver.evaluate($0, receivedAt: 30).verdict } == Array(repeating: .accepted, count: count))
        let before = driver.state
        #expect(fixes.map { driver.evaluate($0, receivedAt: 31).verdict } == Array(repeating: .duplicate, count: count))
        #expect(driver.state.order == before.order && driver.state.motion == before.motion)
    }

    @Test("the id of the first of 21 uploaded fixes is replaced, so the repeated fix is late")
    func capacity() {
        let driver = TestDriver()
        let fixes = batch(driver, 21, from: 0)
        for fix in fixes { #expect(driver.evaluate(fix, receivedAt: 30).verdict == .accepted) }
        // In reverse order, because the id of a late fix is stored and replaces another id.
        let verdicts = fixes.reversed().map { driver.evaluate($0, receivedAt: 31).verdict }
        #expect(verdicts == Array(repeating: .duplicate, count: 20) + [.late])
    }

    @Test("a late upload is late once, and a duplicate afterwards")
    func lateThenDuplicate() {
        let driver = TestDriver()
        let fixes = batch(driver, 10, from: 0)
        for fix in batch(driver, 2, from: 60, isBatched: false) { #expect(driver.evaluate(fix).verdict == .accepted) }
        #expect(fixes.allSatisfy { driver.evaluate($0, receivedAt: 62).verdict == .late })
        #expect(fixes.allSatisfy { driver.evaluate($0, receivedAt: 63).verdict == .duplicate })
    }

    @Test("a fix sent again with its id is a duplicate even if its content changed, without an id it is late")
    func changedContent() {
        let driver = TestDriver()
        var fixes = batch(driver, 3, from: 0)
        for fix in fixes { _ = driver.evaluate(fix, receivedAt: 3) }
        fixes[1].contentHash ^= 1
        #expect(driver.evaluate(fixes[1], receivedAt: 4).verdict == .duplicate)
        fixes[1].identityHash = 0
        #expect(driver.evaluate(fixes[1], receivedAt: 5).verdict == .late)
    }

    @Test("a newer fix is never a duplicate, whatever its id")
    func newerFix() {
        let driver = TestDriver()
        var fixes = batch(driver, 5, from: 0)
        for index in fixes.indices { fixes[index].identityHash = 7 }
        #expect(fixes.allSatisfy { driver.evaluate($0, receivedAt: 10).verdict == .accepted })
        // A fix of the same second with another id and other content is not a duplicate.
        var other = fixes[4]
        (other.identityHash, other.contentHash) = (8, 8)
        #expect(driver.evaluate(other, receivedAt: 10).verdict == .accepted)
    }

    @Test("a queue sent again by a restarted app consists of duplicates, also in a new session")
    func newSession() {
        let driver = TestDriver()
        driver.template.sessionHash = 77
        let fixes = batch(driver, 10, from: 0)
        for fix in fixes { _ = driver.evaluate(fix, receivedAt: 10) }
        driver.template.sessionHash = 78
        #expect(driver.send(110, at: 11).verdict == .accepted)
        var again = fixes
        for index in again.indices { again[index].sessionHash = 78 }
        #expect(again.allSatisfy { driver.evaluate($0, receivedAt: 12).verdict == .duplicate })
        #expect(fixes.allSatisfy { driver.evaluate($0, receivedAt: 13).verdict == .duplicate })
    }

    @Test("sequence numbers have precedence over ids and replace the ids")
    func sequences() {
        let driver = TestDriver()
        for fix in batch(driver, 10, from: 0) { _ = driver.evaluate(fix, receivedAt: 10) }
        var numbered = batch(driver, 3, from: 10)
        for index in numbered.indices { numbered[index].sequence = Int64(100 + index) }
        #expect(numbered.allSatisfy { driver.evaluate($0, receivedAt: 20).verdict == .accepted })
        #expect(driver.state.order.missing.count == 1 && driver.state.order.lastSequence == 102)
        #expect(numbered.allSatisfy { driver.evaluate($0, receivedAt: 21).verdict == .duplicate })
        #expect(driver.send(90, at: 12.5, sequence: 99).verdict == .late)
    }

    @Test("the state stores the last 20 ids, in the memory of the sequence numbers")
    func memory() {
        var order = DriverState.Order()
        #expect(order.identities == IdentityMemory() && order == DriverState.Order())
        for hash in 1...25 as ClosedRange<UInt16> {
            var memory = order.identities
            memory.add(hash &* 0x9e37)
            order.identities = memory
        }
        let isStored = (1...26).map { order.identities.contains(UInt16($0) &* 0x9e37) }
        #expect(isStored == (1...26).map { (6...25).contains($0) })
        #expect(
            MemoryLayout<IdentityMemory>.size
                <= MemoryLayout<ContentRing>.size + MemoryLayout<MissingSequences>.size)
    }

    @Test(
        "a state restored after every fix gives the same results as an uninterrupted state",
        arguments: [UInt64(3), 4, 5])
    func restored(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let (steady, restored) = (TestDriver(), TestDriver())
        var sent: [Fix] = []
        var verdicts: Set<Verdict> = []
        for second in 0..<600 {
            var fix = batch(steady, 1, from: second)[0]
            if Int.random(in: 0..<3, using: &random) == 0, let old = sent.suffix(40).randomElement(using: &random) {
                fix = old
            }
            fix.sequence = second % 200 == 150 ? Int64(second) : nil
            sent.append(fix)
            let result = steady.evaluate(fix, receivedAt: Double(second))
            let bytes = [UInt8](unsafeUninitializedCapacity: DriverState.maximumEncodedByteCount) { buffer, count in
                count = restored.state.encode(into: UnsafeMutableRawBufferPointer(buffer))
            }
            restored.state = try #require(bytes.withUnsafeBytes { DriverState(decoding: $0) })
            #expect(restored.evaluate(fix, receivedAt: Double(second)).verdict == result.verdict)
            #expect(restored.state == steady.state, "seed \(seed), second \(second)")
            verdicts.insert(result.verdict)
        }
        #expect(verdicts.isSuperset(of: [.accepted, .duplicate, .late]))
    }
}
