import TestSupport
import Testing

@testable import LocationWorker
@testable import Processing
@testable import Support

@Suite("The rule by which stream time moves")
struct StreamTimeRuleTests {
    private static let start: Int64 = 1_770_000_000_000
    private static let hour: Int64 = 3_600_000

    private static func at(_ milliseconds: Int64) -> Timestamp { Timestamp(milliseconds: start + milliseconds) }
    private func followed(_ milliseconds: Int64) -> ReceiptTimeEstimator.Receipt { .followed(Self.at(milliseconds)) }
    private func ahead(_ milliseconds: Int64) -> ReceiptTimeEstimator.Receipt { .ahead(Self.at(milliseconds)) }

    /// The receipt found of a record stamped `stamp` milliseconds after the start.
    private func receipt(
        _ time: inout ReceiptTimeEstimator, _ stamp: Int64, device: Int64? = nil, harms: Bool = true
    ) -> ReceiptTimeEstimator.Receipt {
        time.receipt(stamped: Self.at(stamp), device: device.map { Self.at($0) }) { _ in harms }
    }

    /// Stream time after the start, in milliseconds.
    private func now(_ time: ReceiptTimeEstimator) -> Int64 { time.now.milliseconds - Self.start }

    private func begun() -> ReceiptTimeEstimator {
        var time = ReceiptTimeEstimator(memorySeconds: 300)
        #expect(receipt(&time, 0) == followed(0))
        return time
    }

    /// A partition in which a producer's clock was found to be wrong.
    private func begunWithWrongClock() -> ReceiptTimeEstimator {
        var time = begun()
        for _ in 0..<2 {
            #expect(receipt(&time, 9 * Self.hour) == ahead(9 * Self.hour))
            #expect(receipt(&time, 0) == followed(0))
        }
        return time
    }

    @Test("a step of half the memory is followed at once; a longer one that would forget a driver waits, and is used")
    func step() {
        for (stamp, isFollowed) in [(149_999, true), (150_000, true), (150_001, false)] as [(Int64, Bool)] {
            for device in [nil, stamp, stamp - 30_000] {
                var time = begun()
                #expect(receipt(&time, stamp, device: device) == (isFollowed ? followed(stamp) : ahead(stamp)))
                #expect(now(time) == (isFollowed ? stamp : 0))
            }
        }
    }

    @Test("a step of hours that forgets no other driver is followed at once")
    func harmless() {
        var time = begun()
        #expect(receipt(&time, 9 * Self.hour, harms: false) == followed(9 * Self.hour))
        #expect(time.candidate == nil)
    }

    @Test("receipts ahead are followed once they have continued for 30 s among themselves")
    func confirmation() {
        for (last, isFollowed) in [(29_999, false), (30_000, true), (30_001, true)] as [(Int64, Bool)] {
            var time = begun()
            for stamp in [0, 7_000, 15_000] as [Int64] {
                #expect(receipt(&time, Self.hour + stamp) == ahead(Self.hour + stamp))
            }
            let stamp = Self.hour + last
            #expect(receipt(&time, stamp) == (isFollowed ? followed(stamp) : ahead(stamp)))
            #expect(now(time) == (isFollowed ? stamp : 0))
        }
    }

    @Test("a record near stream time begins the count of those ahead again; one far behind does not")
    func reset() {
        for (near, isReset) in [(150_000, true), (0, true), (-150_000, true), (-150_001, false)] as [(Int64, Bool)] {
            var time = begun()
            #expect(receipt(&time, 9 * Self.hour) == ahead(9 * Self.hour))
            #expect(receipt(&time, near) == followed(near))
            let stamp = 9 * Self.hour + 30_000
            #expect(receipt(&time, stamp) == (isReset ? ahead(stamp) : followed(stamp)), "\(near)")
        }
    }

    @Test("a burst of one moment confirms nothing, however many records it has")
    func burst() {
        var time = begun()
        for number in 0..<10_000 {
            let stamp = Self.hour + Int64(number % 500)
            #expect(receipt(&time, stamp) == ahead(stamp))
        }
        #expect(now(time) == 0)
    }

    @Test("of two claims ahead the nearer counts, and a wild one among them confirms no more than that")
    func nearerClaim() {
        var time = begun()
        #expect(receipt(&time, 30 * Self.hour) == ahead(30 * Self.hour))
        #expect(receipt(&time, Self.hour) == ahead(Self.hour))
        #expect(receipt(&time, 50 * Self.hour) == ahead(50 * Self.hour))
        #expect(now(time) == Self.hour)
        #expect(receipt(&time, Self.hour + 10_000) == followed(Self.hour + 10_000))
    }

    @Test("in a partition whose records all lie farther apart than the memory, each is used and time is one behind")
    func sparse() {
        var time = begun()
        for number in 1...60 {
            let stamp = Int64(number) * 400_000
            #expect(receipt(&time, stamp, device: stamp) == ahead(stamp))
            #expect(now(time) == stamp - 400_000)
        }
    }

    @Test("a fix stored in a silence has the receipt of its record, and stream time waits", arguments: [true, false])
    func stored(harms: Bool) {
        // Receipt and device time against stream time.
        for (stamp, device) in [
            (30_002, 1), (60_000, 29_999), (140_000, 12_000), (160_000, 20_000), (620_000, 1_000), (620_000, 400_000),
            (Self.hour, -1_000),
        ] as [(Int64, Int64)] {
            var time = begun()
            #expect(receipt(&time, stamp, device: device, harms: harms) == ahead(stamp), "\(stamp), \(device)")
            #expect(now(time) == 0, "\(stamp), \(device)")
        }
    }

    @Test("a live fix ends a silence of up to half the memory that stored ones came out of, and refutes nothing")
    func liveAfterStored() {
        var time = begun()
        for device in stride(from: Int64(1_000), through: 30_000, by: 1_000) {
            #expect(receipt(&time, 100_000, device: device) == ahead(100_000))
        }
        #expect(receipt(&time, 101_000, device: 101_000) == followed(101_000))
        #expect(time.refutations == nil && time.candidate == nil)
    }

    @Test("a device within 30 s of its receipt is no doubt, and neither is one that is slow by more than a day")
    func agreement() {
        for (stamp, device, found) in [
            (60_000, 30_000, followed(60_000)), (60_000, 29_999, ahead(60_000)), (30_000, -5_000, followed(30_000)),
            (60_000, -30_001, followed(60_000)),
            (30 * Self.hour, 30 * Self.hour - 86_400_001, followed(30 * Self.hour)),
            (30 * Self.hour, 30 * Self.hour - 86_400_000, ahead(30 * Self.hour)),
        ] as [(Int64, Int64, ReceiptTimeEstimator.Receipt)] {
            var time = begun()
            #expect(receipt(&time, stamp, device: device, harms: false) == found, "\(stamp), \(device)")
        }
    }

    @Test("two refutations within the memory find a wrong clock; one, or an old one, does not")
    func refutations() {
        for (second, isFound) in [(299_999, true), (300_000, true), (300_001, false)] as [(Int64, Bool)] {
            var time = begun()
            #expect(receipt(&time, 9 * Self.hour) == ahead(9 * Self.hour))
            for stamp in [0, 100_000, 200_000, second] { #expect(receipt(&time, stamp) == followed(stamp)) }
            #expect(receipt(&time, 9 * Self.hour) == ahead(9 * Self.hour), "one refutation")
            #expect(receipt(&time, second) == followed(second))
            #expect(receipt(&time, 9 * Self.hour) == (isFound ? .unknown : ahead(9 * Self.hour)), "\(second)")
        }
    }

    @Test("a clock that was found to be wrong is forgotten after the memory")
    func forgottenClock() {
        for (last, isForgotten) in [(299_999, false), (300_000, false), (300_001, true)] as [(Int64, Bool)] {
            var time = begunWithWrongClock()
            for stamp in [100_000, 200_000, last] { #expect(receipt(&time, stamp) == followed(stamp)) }
            #expect(receipt(&time, 9 * Self.hour) == (isForgotten ? ahead(9 * Self.hour) : .unknown), "\(last)")
        }
    }

    @Test("a record far behind, or near the receipts ahead, refutes nothing")
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

    @Test("once a clock is known to be wrong, devices that say it is stream time now date its records")
    func wrongClock() {
        // Stamp and device against stream time, and what is found.
        for (stamp, device, found) in [
            (30_000, -5_000, 30_000), (30_001, 0, 0), (30_001, 1, 30_001), (60_000, 29_999, 29_999),
            (60_000, 30_000, 60_000), (60_000, -30_000, 0), (60_000, -30_001, 60_000), (140_000, 12_000, 12_000),
            (160_000, 20_000, 20_000), (-30_000, 5_000, -30_000), (-30_001, 0, 0), (-30_001, 5_000, 0),
            (-60_000, -29_999, -29_999), (-60_000, -30_001, -60_000), (-90 * Self.hour, -7_000, -7_000),
            (90 * Self.hour, 7_000, 7_000),
        ] as [(Int64, Int64, Int64)] {
            var time = begunWithWrongClock()
            #expect(receipt(&time, stamp, device: device) == followed(found), "\(stamp), \(device)")
            #expect(now(time) == max(0, found), "\(stamp), \(device)")
        }
    }

    @Test("the first record is followed, unless its device says that its fix is older: then time begins there")
    func first() {
        for (device, found, begin) in [
            (nil, followed(0), 0), (0, followed(0), 0), (60_000, followed(0), 0), (-30_000, followed(0), 0),
            (-30_001, ahead(0), -30_001), (-Self.hour, ahead(0), -Self.hour), (-Self.hour - 1, ahead(0), -Self.hour),
            (-24 * Self.hour, ahead(0), -Self.hour), (-24 * Self.hour - 1, followed(0), 0),
        ] as [(Int64?, ReceiptTimeEstimator.Receipt, Int64)] {
            var time = ReceiptTimeEstimator(memorySeconds: 300)
            #expect(receipt(&time, 0, device: device) == found, "\(device ?? 1)")
            #expect(now(time) == begin, "\(device ?? 1)")
        }
    }

    @Test("an empty partition whose first stamp is an hour ahead has the right time with the next record")
    func firstAhead() {
        var time = ReceiptTimeEstimator(memorySeconds: 300)
        #expect(receipt(&time, Self.hour, device: 0) == ahead(Self.hour))
        for stamp in [100, 1_000, 60_000] as [Int64] { #expect(receipt(&time, stamp) == followed(stamp)) }
        #expect(now(time) == 60_000)
    }

    @Test("a second look at the last record changes nothing, whatever came before")
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
                let harms = Bool.random(using: &random)
                let first = receipt(&time, clock + ahead, device: device, harms: harms)
                let after = time
                // The newest claim may have moved time, and others are forgotten by then.
                let isNewestClaim = after.candidate?.newest == Self.at(clock + ahead) && first != .unknown
                let again = receipt(&time, clock + ahead, device: device, harms: harms && !isNewestClaim)
                #expect(again == first && time == after, "seed \(seed)")
                // What a restore brings back continues alike.
                var restored = ReceiptTimeEstimator(memorySeconds: 300)
                restored.restore(after.now, candidate: after.candidate, refutations: after.refutations)
                #expect(restored == after, "seed \(seed)")
            }
        }
    }
}
