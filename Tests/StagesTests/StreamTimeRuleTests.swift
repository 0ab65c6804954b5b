import TestSupport
import Testing
import Tracking

@testable import Stages

@Suite("The rule by which stream time moves")
struct StreamTimeRuleTests {
    private static let start: Int64 = 1_770_000_000_000
    private static let hour: Int64 = 3_600_000

    /// The receipt believed of a record stamped `stamp` milliseconds after the start.
    private func receipt(
        _ time: inout StreamTime, _ stamp: Int64, device: Int64? = nil, harms: Bool = true
    ) -> Int64? {
        time.receipt(
            stamped: Timestamp(milliseconds: Self.start + stamp),
            device: device.map { Timestamp(milliseconds: Self.start + $0) }
        ) { _ in harms }.map { $0.milliseconds - Self.start }
    }

    private func begun() -> StreamTime {
        var time = StreamTime(memorySeconds: 300)
        #expect(receipt(&time, 0) == 0)
        return time
    }

    @Test("a step of half the memory is taken at once, a longer one that would forget a driver is not")
    func step() {
        for (stamp, isTaken) in [(149_999, true), (150_000, true), (150_001, false)] as [(Int64, Bool)] {
            var time = begun()
            #expect(receipt(&time, stamp) == (isTaken ? stamp : nil))
            #expect(time.now.milliseconds - Self.start == (isTaken ? stamp : 0))
        }
    }

    @Test("a step of hours that forgets no other driver is taken at once")
    func harmless() {
        var time = begun()
        #expect(receipt(&time, 9 * Self.hour, harms: false) == 9 * Self.hour)
        #expect(time.candidate == nil)
    }

    @Test("receipts ahead are believed once they have gone on for 30 s among themselves")
    func confirmation() {
        for (last, isTaken) in [(29_999, false), (30_000, true), (30_001, true)] as [(Int64, Bool)] {
            var time = begun()
            for stamp in [0, 7_000, 15_000] as [Int64] { #expect(receipt(&time, Self.hour + stamp) == nil) }
            #expect(receipt(&time, Self.hour + last) == (isTaken ? Self.hour + last : nil))
        }
    }

    @Test("a record near stream time begins the count of those ahead anew; one far behind says nothing")
    func reset() {
        for (near, isReset) in [(150_000, true), (0, true), (-150_000, true), (-150_001, false)] as [(Int64, Bool)] {
            var time = begun()
            #expect(receipt(&time, 9 * Self.hour) == nil)
            #expect(receipt(&time, near) == near)
            #expect((receipt(&time, 9 * Self.hour + 30_000) == nil) == isReset, "\(near)")
        }
    }

    @Test("a burst of one moment confirms nothing, however many records it has")
    func burst() {
        var time = begun()
        for number in 0..<10_000 { #expect(receipt(&time, Self.hour + Int64(number % 500)) == nil) }
        #expect(time.now.milliseconds == Self.start)
    }

    @Test("of two claims ahead the nearer is followed, and a wild one among them confirms nothing")
    func nearerClaim() {
        var time = begun()
        #expect(receipt(&time, 30 * Self.hour) == nil)
        #expect(receipt(&time, Self.hour) == nil)
        #expect(receipt(&time, 50 * Self.hour) == nil)
        #expect(receipt(&time, Self.hour + 10_000) == nil)
        #expect(receipt(&time, Self.hour + 45_000) == Self.hour + 45_000)
    }

    @Test("a partition whose records all lie far apart still has a time")
    func sparse() {
        var time = begun()
        var believed = 0
        for number in 1...60 {
            let stamp = Int64(number / 3) * 400_000 + Int64(number % 3) * 10_000
            if receipt(&time, stamp) != nil { believed += 1 }
        }
        #expect(believed > 15)
        #expect(time.now.milliseconds - Self.start >= 18 * 400_000)
    }

    @Test("a device that says its fix was taken earlier is believed before the producer; the nearest second decides")
    func device() {
        var time = begun()
        #expect(receipt(&time, 3 * Self.hour, device: 1_000) == 1_000)
        #expect(receipt(&time, 3 * Self.hour, device: 500) == 1_000, "an older fix does not take time back")
        #expect(time.now.milliseconds - Self.start == 1_000)
        #expect(time.candidate == nil)
        var other = begun()
        #expect(receipt(&other, Self.hour, device: Self.hour - 150_000) == nil, "this device agrees with the stamp")
        var third = begun()
        #expect(receipt(&third, Self.hour, device: Self.hour - 150_001, harms: false) == Self.hour - 150_001)
    }

    @Test("a device that says it is stream time now is believed before a producer that is more than 30 s from both")
    func witness() {
        // Stamp and device against stream time, and what is believed.
        for (stamp, device, believed) in [
            (30_000, -5_000, 30_000), (30_001, 0, 0), (30_001, 1, 30_001), (60_000, 29_999, 29_999),
            (60_000, 30_000, 60_000), (60_000, -30_000, 0), (60_000, -30_001, 60_000), (140_000, 12_000, 12_000),
            (160_000, 20_000, 20_000), (-30_000, 5_000, -30_000), (-30_001, 0, 0), (-30_001, 5_000, 0),
            (-60_000, -29_999, -29_999), (-60_000, -30_001, -60_000), (-90 * Self.hour, -7_000, -7_000),
            (90 * Self.hour, 7_000, 7_000),
        ] as [(Int64, Int64, Int64)] {
            var time = begun()
            #expect(receipt(&time, stamp, device: device) == believed, "\(stamp), \(device)")
            #expect(time.now.milliseconds - Self.start == max(0, believed), "\(stamp), \(device)")
        }
    }

    @Test("asking again about the last record changes nothing, whatever came before")
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
                // What was answered is remembered at stream time now, so a step taken does no harm any more.
                let again = receipt(&time, clock + ahead, device: device, harms: harms)
                #expect(again == first && time == after, "seed \(seed)")
                // What a restore brings back goes on alike.
                var restored = StreamTime(memorySeconds: 300)
                restored.restore(after.now, candidate: after.candidate)
                #expect(restored == after, "seed \(seed)")
            }
        }
    }
}
