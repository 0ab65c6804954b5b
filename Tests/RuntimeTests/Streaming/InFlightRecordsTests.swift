import Testing

@testable import Runtime

@Suite("In-flight records")
struct InFlightRecordsTests {
    private typealias Progress = InFlightRecords.Progress

    private static func released(_ inFlight: inout InFlightRecords) -> [Int64] {
        var offsets: [Int64] = []
        inFlight.release { offsets.append($0.next) }
        return offsets
    }

    @Test("offsets are released when their batch and all earlier batches are acknowledged")
    func order() {
        var inFlight = InFlightRecords()
        let first = inFlight.open()
        inFlight.expect(first)
        inFlight.expect(first)
        inFlight.add(Progress(input: 0, partition: 1, next: 10), to: first)
        inFlight.close(first)
        let second = inFlight.open()
        inFlight.expect(second)
        inFlight.add(Progress(input: 0, partition: 1, next: 20), to: second)
        inFlight.close(second)
        inFlight.acknowledge(second)
        #expect(Self.released(&inFlight) == [])
        inFlight.acknowledge(first)
        #expect(Self.released(&inFlight) == [])
        #expect(inFlight.outstanding == 1)
        inFlight.acknowledge(first)
        #expect(Self.released(&inFlight) == [10, 20])
        #expect(inFlight.isEmpty)
    }

    @Test("a batch without outputs waits for earlier batches")
    func emptyBatch() {
        var inFlight = InFlightRecords()
        let first = inFlight.open()
        inFlight.expect(first)
        inFlight.close(first)
        let second = inFlight.open()
        inFlight.add(Progress(input: 0, partition: 0, next: 5), to: second)
        inFlight.close(second)
        #expect(Self.released(&inFlight) == [])
        inFlight.acknowledge(first)
        #expect(Self.released(&inFlight) == [5])
    }

    @Test("an open batch is not released")
    func openBatch() {
        var inFlight = InFlightRecords()
        let batch = inFlight.open()
        inFlight.add(Progress(input: 0, partition: 0, next: 5), to: batch)
        #expect(Self.released(&inFlight) == [])
        inFlight.close(batch)
        #expect(Self.released(&inFlight) == [5])
    }

    @Test("the waiting time of the oldest batch and the outstanding bytes are tracked")
    func waiting() {
        let start = ContinuousClock.now
        var inFlight = InFlightRecords()
        #expect(inFlight.waitingSince == nil)
        let first = inFlight.open()
        #expect(inFlight.waitingSince == nil)
        inFlight.expect(first, byteCount: 100, at: start)
        inFlight.expect(first, byteCount: 20, at: start + .seconds(1))
        inFlight.close(first)
        let second = inFlight.open()
        inFlight.expect(second, byteCount: 3, at: start + .seconds(1))
        #expect(inFlight.waitingSince == start)
        #expect(inFlight.outstandingBytes == 123)
        #expect(inFlight.acknowledge(first) == 0)
        #expect(inFlight.waitingSince == start)
        #expect(inFlight.acknowledge(first) == 120)
        #expect(inFlight.waitingSince == start + .seconds(1))
        #expect(inFlight.outstandingBytes == 3)
        #expect(inFlight.acknowledge(second) == 3)
        #expect(inFlight.waitingSince == nil)
        // The waiting time of the batch's later outputs starts when they are sent.
        inFlight.expect(second, byteCount: 4, at: start + .seconds(9))
        #expect(inFlight.waitingSince == start + .seconds(9))
    }

    @Test("a decoded delivery token equals the encoded token", arguments: [0, 1, Int32.max >> 10])
    func token(partition: Int32) {
        for batch in [0, 1, 1 << 40 - 1] {
            for isChangelog in [false, true] {
                let token = DeliveryToken(partition: partition, batch: batch, isChangelog: isChangelog)
                #expect(DeliveryToken(raw: token.raw) == token)
            }
        }
    }

    @Test("if outputs are acknowledged in random order, offsets are released in order and after their acknowledgements")
    func randomOrder() {
        let seed = UInt64.random(in: 0...UInt64.max)
        var generator = SplitMix(state: seed)
        var inFlight = InFlightRecords()
        var pending: [Int] = []
        var unacknowledged: [Int: Int] = [:]
        var last: Int64 = 0
        for round in 1...2000 {
            let batch = inFlight.open()
            for _ in 0..<Int.random(in: 0...3, using: &generator) {
                inFlight.expect(batch)
                pending.append(batch)
                unacknowledged[batch, default: 0] += 1
            }
            inFlight.add(Progress(input: 0, partition: 0, next: Int64(batch)), to: batch)
            inFlight.close(batch)
            while !pending.isEmpty, round == 2000 || Bool.random(using: &generator) {
                let index = Int.random(in: 0..<pending.count, using: &generator)
                let acknowledged = pending.remove(at: index)
                inFlight.acknowledge(acknowledged)
                unacknowledged[acknowledged, default: 0] -= 1
            }
            for next in Self.released(&inFlight) {
                #expect(next == last, "seed \(seed)")
                #expect(unacknowledged[Int(next)] ?? 0 == 0, "seed \(seed)")
                last = next + 1
            }
        }
        #expect(inFlight.isEmpty, "seed \(seed)")
    }

    private struct SplitMix: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state &+= 0x9e37_79b9_7f4a_7c15
            var mixed = state
            mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
            return mixed ^ (mixed >> 31)
        }
    }
}
