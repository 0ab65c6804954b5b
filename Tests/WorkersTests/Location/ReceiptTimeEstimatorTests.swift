import TestSupport
import Testing

@testable import Processors
@testable import Processing
@testable import Support

@Suite("Receipt time estimator")
struct ReceiptTimeEstimatorTests {
    private static let start: Int64 = 1_770_000_000_000
    private static let hour: Int64 = 3_600_000

    private static func at(_ milliseconds: Int64) -> Timestamp { Timestamp(milliseconds: start + milliseconds) }
    private func followed(_ milliseconds: Int64) -> ReceiptTimeEstimator.Receipt { .followed(Self.at(milliseconds)) }
    private func ahead(_ milliseconds: Int64) -> ReceiptTimeEstimator.Receipt { .ahead(Self.at(milliseconds)) }

    /// Estimates the receipt time of a record whose timestamp is `timestamp` milliseconds after the start.
    private func receipt(
        _ time: inout ReceiptTimeEstimator, _ timestamp: Int64, device: Int64? = nil, evicts: Bool = true
    ) -> ReceiptTimeEstimator.Receipt {
        time.receipt(of: Self.at(timestamp), device: device.map { Self.at($0) }) { _ in evicts }
    }

    /// Returns the stream time, in milliseconds after the start.
    private func now(_ time: ReceiptTimeEstimator) -> Int64 { time.now.milliseconds - Self.start }

    private func begun() -> ReceiptTimeEstimator {
        var time = ReceiptTimeEstimator(memorySeconds: 300)
        #expect(receipt(&time, 0) == followed(0))
        return time
    }

    /// Returns an estimator that has found a producer's clock wrong.
    private func begunWithWrongClock() -> ReceiptTimeEstimator {
        var time = begun()
        for _ in 0..<2 {
            #expect(receipt(&time, 9 * Self.hour) == ahead(9 * Self.hour))
            #expect(receipt(&time, 0) == followed(0))
        }
        return time
    }

    @Test("stream time follows a step of up to half of `memorySeconds`; a longer one that would evict a driver waits")
    func step() {
        for (timestamp, isFollowed) in [(149_999, true), (150_000, true), (150_001, false)] as [(Int64, Bool)] {
            for device in [nil, timestamp, timestamp - 30_000] {
                var time = begun()
                #expect(
                    receipt(&time, timestamp, device: device) == (isFollowed ? followed(timestamp) : ahead(timestamp)))
                #expect(now(time) == (isFollowed ? timestamp : 0))
            }
        }
    }

    @Test("stream time follows a step of hours that evicts no other driver")
    func harmless() {
        var time = begun()
        #expect(receipt(&time, 9 * Self.hour, evicts: false) == followed(9 * Self.hour))
        #expect(time.candidate == nil)
    }

    @Test("stream time follows timestamps ahead once they span 30 s")
    func confirmation() {
        for (last, isFollowed) in [(29_999, false), (30_000, true), (30_001, true)] as [(Int64, Bool)] {
            var time = begun()
            for timestamp in [0, 7_000, 15_000] as [Int64] {
                #expect(receipt(&time, Self.hour + timestamp) == ahead(Self.hour + timestamp))
            }
            let timestamp = Self.hour + last
            #expect(receipt(&time, timestamp) == (isFollowed ? followed(timestamp) : ahead(timestamp)))
            #expect(now(time) == (isFollowed ? timestamp : 0))
        }
    }

    @Test("a record within 150 s of stream time restarts the span of timestamps ahead; an older one does not")
    func reset() {
        for (near, isReset) in [(150_000, true), (0, true), (-150_000, true), (-150_001, false)] as [(Int64, Bool)] {
            var time = begun()
            #expect(receipt(&time, 9 * Self.hour) == ahead(9 * Self.hour))
            #expect(receipt(&time, near) == followed(near))
            let timestamp = 9 * Self.hour + 30_000
            #expect(receipt(&time, timestamp) == (isReset ? ahead(timestamp) : followed(timestamp)), "\(near)")
        }
    }

    @Test("a burst of any size within a second does not confirm a timestamp ahead")
    func burst() {
        var time = begun()
        for number in 0..<10_000 {
            let timestamp = Self.hour + Int64(number % 500)
            #expect(receipt(&time, timestamp) == ahead(timestamp))
        }
        #expect(now(time) == 0)
    }

    @Test("the nearer of two timestamps ahead counts, and a farther third one confirms it")
    func nearerTimestamp() {
        var time = begun()
        #expect(receipt(&time, 30 * Self.hour) == ahead(30 * Self.hour))
        #expect(receipt(&time, Self.hour) == ahead(Self.hour))
        #expect(receipt(&time, 50 * Self.hour) == ahead(50 * Self.hour))
        #expect(now(time) == Self.hour)
        #expect(receipt(&time, Self.hour + 10_000) == followed(Self.hour + 10_000))
    }

    @Test("if records are farther apart than `memorySeconds`, each keeps its time, and stream time is one behind")
    func sparse() {
        var time = begun()
        for number in 1...60 {
            let timestamp = Int64(number) * 400_000
            #expect(receipt(&time, timestamp, device: timestamp) == ahead(timestamp))
            #expect(now(time) == timestamp - 400_000)
        }
    }

    @Test(
        "a fix stored during a silence keeps the timestamp of its record, and stream time waits",
        arguments: [true, false])
    func stored(evicts: Bool) {
        // Timestamp and device time relative to stream time.
        for (timestamp, device) in [
            (30_002, 1), (60_000, 29_999), (140_000, 12_000), (160_000, 20_000), (620_000, 1_000), (620_000, 400_000),
            (Self.hour, -1_000),
        ] as [(Int64, Int64)] {
            var time = begun()
            #expect(
                receipt(&time, timestamp, device: device, evicts: evicts) == ahead(timestamp), "\(timestamp), \(device)"
            )
            #expect(now(time) == 0, "\(timestamp), \(device)")
        }
    }

    @Test("a live fix after stored fixes ends a silence of 100 s and causes no refutation")
    func liveAfterStored() {
        var time = begun()
        for device in stride(from: Int64(1_000), through: 30_000, by: 1_000) {
            #expect(receipt(&time, 100_000, device: device) == ahead(100_000))
        }
        #expect(receipt(&time, 101_000, device: 101_000) == followed(101_000))
        #expect(time.refutations == nil && time.candidate == nil)
    }

    @Test("a device time is ignored within 30 s or over a day before the timestamp, or over 30 s behind stream time")
    func agreement() {
        for (timestamp, device, expected) in [
            (60_000, 30_000, followed(60_000)), (60_000, 29_999, ahead(60_000)), (30_000, -5_000, followed(30_000)),
            (60_000, -30_001, followed(60_000)),
            (30 * Self.hour, 30 * Self.hour - 86_400_001, followed(30 * Self.hour)),
            (30 * Self.hour, 30 * Self.hour - 86_400_000, ahead(30 * Self.hour)),
        ] as [(Int64, Int64, ReceiptTimeEstimator.Receipt)] {
            var time = begun()
            #expect(receipt(&time, timestamp, device: device, evicts: false) == expected, "\(timestamp), \(device)")
        }
    }

    @Test("two refutations within `memorySeconds` show a wrong clock; a single or an older refutation does not")
    func refutations() {
        for (second, isKnownWrong) in [(299_999, true), (300_000, true), (300_001, false)] as [(Int64, Bool)] {
            var time = begun()
            #expect(receipt(&time, 9 * Self.hour) == ahead(9 * Self.hour))
            for timestamp in [0, 100_000, 200_000, second] { #expect(receipt(&time, timestamp) == followed(timestamp)) }
            #expect(receipt(&time, 9 * Self.hour) == ahead(9 * Self.hour), "one refutation")
            #expect(receipt(&time, second) == followed(second))
            #expect(receipt(&time, 9 * Self.hour) == (isKnownWrong ? .unknown : ahead(9 * Self.hour)), "\(second)")
        }
    }

    @Test("a clock counts as wrong for `memorySeconds` after the last refutation")
    func forgottenClock() {
        for (last, isForgotten) in [(299_999, false), (300_000, false), (300_001, true)] as [(Int64, Bool)] {
            var time = begunWithWrongClock()
            for timestamp in [100_000, 200_000, last] { #expect(receipt(&time, timestamp) == followed(timestamp)) }
            #expect(receipt(&time, 9 * Self.hour) == (isForgotten ? ahead(9 * Self.hour) : .unknown), "\(last)")
        }
    }

    @Test("a record over 30 s behind stream time, or near the timestamps ahead, causes no refutation")
    func noRefutation() {
        for near in [-30_001, -150_000, -Self.hour] as [Int64] {
            var time = begun()
            for _ in 0..<3 {
                #expect(receipt(&time, 9 * Self.hour) == ahead(9 * Self.hour))
                #expect(receipt(&time, near) == followed(near))
            }
            #expect(time.refutations == nil)
        }
        var time = begun()
        #expect(receipt(&time, 170_000) == ahead(170_000))
        #expect(receipt(&time, 140_000) == followed(140_000))
        #expect(time.refutations == nil)
    }

    @Test("after a clock was found wrong, device times near stream time replace its timestamps")
    func wrongClock() {
        // Timestamp and device time relative to stream time, and the receipt time.
        for (timestamp, device, expected) in [
            (30_000, -5_000, 30_000), (30_001, 0, 0), (30_001, 1, 30_001), (60_000, 29_999, 29_999),
            (60_000, 30_000, 60_000), (60_000, -30_000, 0), (60_000, -30_001, 60_000), (140_000, 12_000, 12_000),
            (160_000, 20_000, 20_000), (-30_000, 5_000, -30_000), (-30_001, 0, 0), (-30_001, 5_000, 0),
            (-60_000, -29_999, -29_999), (-60_000, -30_001, -60_000), (-90 * Self.hour, -7_000, -7_000),
            (90 * Self.hour, 7_000, 7_000),
        ] as [(Int64, Int64, Int64)] {
            var time = begunWithWrongClock()
            #expect(receipt(&time, timestamp, device: device) == followed(expected), "\(timestamp), \(device)")
            #expect(now(time) == max(0, expected), "\(timestamp), \(device)")
        }
    }

    @Test("stream time starts at the first record, or up to an hour earlier if its device time is older")
    func first() {
        for (device, expected, begin) in [
            (nil, followed(0), 0), (0, followed(0), 0), (60_000, followed(0), 0), (-30_000, followed(0), 0),
            (-30_001, ahead(0), -30_001), (-Self.hour, ahead(0), -Self.hour), (-Self.hour - 1, ahead(0), -Self.hour),
            (-24 * Self.hour, ahead(0), -Self.hour), (-24 * Self.hour - 1, followed(0), 0),
        ] as [(Int64?, ReceiptTimeEstimator.Receipt, Int64)] {
            var time = ReceiptTimeEstimator(memorySeconds: 300)
            #expect(receipt(&time, 0, device: device) == expected, "\(device ?? 1)")
            #expect(now(time) == begin, "\(device ?? 1)")
        }
    }

    @Test("if the first timestamp is an hour ahead, stream time is correct from the next record on")
    func firstAhead() {
        var time = ReceiptTimeEstimator(memorySeconds: 300)
        #expect(receipt(&time, Self.hour, device: 0) == ahead(Self.hour))
        for timestamp in [100, 1_000, 60_000] as [Int64] { #expect(receipt(&time, timestamp) == followed(timestamp)) }
        #expect(now(time) == 60_000)
    }

    @Test("processing the last record repeated, or a restore, changes nothing")
    func idempotent() {
        let seed: UInt64 = 41
        var random = SeededGenerator(seed: seed)
        for _ in 0..<200 {
            var time = begun()
            var clock: Int64 = 0
            for _ in 0..<60 {
                clock += Int64.random(in: 0...40_000, using: &random)
                let leads: [Int64] = [0, 0, 0, 2 * Self.hour, 5 * Self.hour]
                let ahead = leads.randomElement(using: &random) ?? 0
                let age = Int64.random(in: 0...400_000, using: &random)
                let device: Int64? = Bool.random(using: &random) ? clock - age : nil
                let evicts = Bool.random(using: &random)
                let first = receipt(&time, clock + ahead, device: device, evicts: evicts)
                let after = time
                // If the record has advanced stream time, other drivers are already evicted.
                let isNewestAhead = after.candidate?.newest == Self.at(clock + ahead) && first != .unknown
                let repeated = receipt(&time, clock + ahead, device: device, evicts: evicts && !isNewestAhead)
                #expect(repeated == first && time == after, "seed \(seed)")
                // A restored estimator is equal.
                var restored = ReceiptTimeEstimator(memorySeconds: 300)
                restored.restore(after.now, candidate: after.candidate, refutations: after.refutations)
                #expect(restored == after, "seed \(seed)")
            }
        }
    }
}
