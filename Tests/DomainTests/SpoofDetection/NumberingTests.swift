import TestSupport
import Testing

@testable import Domain

@Suite("Sequence numbers that restart")
struct NumberingTests {
    private static let sessions: [UInt64] = [0, 77]

    private static func all(_ numbers: Range<Int64>) -> [Int64?] { numbers.map { Optional($0) } }

    /// Drives at 10 m/s with a fix every `interval` seconds, numbered by `numbers`; `nil` is a lost fix.
    private func drive(_ driver: TestDriver, _ numbers: [Int64?], interval: Double = 1) -> [VerdictResult] {
        numbers.enumerated().compactMap { index, number in
            guard let number else { return nil }
            let at = Double(index) * interval
            driver.template.altitudeMeters = 15 + Double(index % 7)
            let noise = Double(index * 7 % 5) * 0.6
            return driver.evaluate(driver.fix(at * 10 + noise, noise, at: at, sequence: number), receivedAt: at + 0.2)
        }
    }

    /// Returns the numbers of a counter of `width` bits that wraps around and loses `lost` numbers at the wrap.
    private func wrapping(width: Int64, isSigned: Bool, before: Int, lost: Int, after: Int) -> [Int64?] {
        let values: Int64 = 1 << width
        let end = isSigned ? values / 2 : values
        return (-before..<lost + after).map { index in
            if (0..<lost).contains(index) { return nil }
            return index < 0 ? end + Int64(index) : end - values + Int64(index)
        }
    }

    @Test(
        "a counter of 7 to 32 bits that wraps costs no fix if under 32 numbers are lost at the wrap, else at most two",
        arguments: [7, 8, 15, 16, 31, 32] as [Int64], [0, 9, 10, 31, 32, 50])
    func wraps(width: Int64, lost: Int) {
        for session in Self.sessions {
            for isSigned in [false, true] {
                let driver = TestDriver()
                driver.template.sessionHash = session
                let results = drive(
                    driver, wrapping(width: width, isSigned: isSigned, before: 60, lost: lost, after: 40))
                let rejected = results.count { $0.verdict != .accepted }
                #expect(rejected <= (lost < 32 ? 0 : 2), "\(width) bits, signed \(isSigned), \(rejected) rejected")
                #expect(results.suffix(37).allSatisfy { $0.verdict == .accepted && $0.risk < 0.3 })
            }
        }
    }

    @Test(
        "an app that restarts its numbering without a session costs at most two fixes",
        arguments: [0, 4, 9, 10, 22, 500] as [Int64], [0.2, 1, 5, 30, 240])
    func restart(first: Int64, interval: Double) {
        let driver = TestDriver()
        let numbers = Self.all(1000..<1060) + Self.all(first..<first + 40)
        let results = drive(driver, numbers, interval: interval)
        #expect(results.count { $0.verdict != .accepted } <= 2)
        #expect(results.suffix(37).allSatisfy { $0.verdict == .accepted && $0.risk < 0.3 })
        #expect(!results.contains { $0.reasons.contains(.suspect) || $0.reasons.contains(.flagged) })
    }

    @Test("three ascending numbers with newer times start a new numbering; two, equal or descending numbers do not")
    func threshold() {
        for (numbers, isAccepted) in [
            ([50, 51], false), ([50, 51, 52], true), ([50, 60, 70], true), ([50, 50, 50], false),
            ([52, 51, 50], false), ([50, 51, 51], false), ([50, 51, 51, 52], true),
        ] as [([Int64], Bool)] {
            let driver = TestDriver()
            driver.template.sessionHash = 77
            let results = drive(driver, Self.all(1..<201) + numbers)
            #expect((results.last?.verdict == .accepted) == isAccepted, "\(numbers)")
        }
    }

    @Test("a numbering that continues between lower numbers is kept", arguments: [1, 2])
    func interleaved(lower: Int) {
        let driver = TestDriver()
        driver.template.sessionHash = 77
        var (high, low): (Int64, Int64) = (1000, 1000 - 300)
        let start = Self.all(500..<1001)
        var numbers = start
        for _ in 0..<20 {
            high += 1
            numbers.append(high)
            for _ in 0..<lower {
                low += 1
                numbers.append(low)
            }
        }
        let results = drive(driver, numbers).dropFirst(start.count)
        for (number, result) in zip(numbers.dropFirst(start.count), results) {
            let isHigh = (number ?? 0) > 1000
            #expect((result.verdict == .accepted) == isHigh, "\(number ?? 0)")
            #expect(isHigh || result.reasons.contains(.sequenceReplay))
        }
    }

    @Test("fixes replayed with their old times are not accepted", arguments: [3, 20, 60])
    func replay(count: Int) {
        let driver = TestDriver()
        driver.template.sessionHash = 77
        _ = drive(driver, Self.all(1..<101))
        for number in 0..<count {
            let old = Double(number) + 20
            // The fix is 2 km from the driven street.
            let result = driver.evaluate(
                driver.fix(old * 10, 2000, at: old, sequence: Int64(number) + 21), receivedAt: 100.2 + Double(number))
            #expect(result.verdict != .accepted)
        }
    }

    @Test("other evidence is kept when a new numbering starts")
    func otherEvidence() {
        let driver = TestDriver()
        driver.template.sessionHash = 77
        _ = drive(driver, Self.all(100..<201))
        driver.state.risk.add(capped: 2.5, at: driver.state.seenAt, driver.detector.settings.risk)
        let before = driver.state.risk.evidence
        // The numbers were not seen before, so their fixes are late and add no evidence.
        for (index, number) in [20, 21, 22].enumerated() as EnumeratedSequence<[Int64]> {
            let at = 101 + Double(index)
            _ = driver.evaluate(driver.fix(at * 10, at: at, sequence: number), receivedAt: at + 0.2)
        }
        #expect(driver.state.order.lastSequence == 22)
        #expect(driver.state.risk.evidence > before * 0.9)
    }
}
