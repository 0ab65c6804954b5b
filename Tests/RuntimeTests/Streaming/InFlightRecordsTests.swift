import Testing

@testable import Runtime

@Suite("The ledger of deliveries")
struct InFlightRecordsTests {
    private typealias Progress = InFlightRecords.Progress

    private static func released(_ ledger: inout InFlightRecords) -> [Int64] {
        var found: [Int64] = []
        ledger.release { found.append($0.next) }
        return found
    }

    @Test("offsets come out only when their batch and all before it are acknowledged")
    func order() {
        var ledger = InFlightRecords()
        let first = ledger.open()
        ledger.expect(first)
        ledger.expect(first)
        ledger.note(Progress(input: 0, partition: 1, next: 10), for: first)
        ledger.close(first)
        let second = ledger.open()
        ledger.expect(second)
        ledger.note(Progress(input: 0, partition: 1, next: 20), for: second)
        ledger.close(second)
        ledger.acknowledge(second)
        #expect(Self.released(&ledger) == [])
        ledger.acknowledge(first)
        #expect(Self.released(&ledger) == [])
        #expect(ledger.outstanding == 1)
        ledger.acknowledge(first)
        #expect(Self.released(&ledger) == [10, 20])
        #expect(ledger.isEmpty)
    }

    @Test("a batch without outputs still waits for those before it")
    func emptyBatch() {
        var ledger = InFlightRecords()
        let first = ledger.open()
        ledger.expect(first)
        ledger.close(first)
        let second = ledger.open()
        ledger.note(Progress(input: 0, partition: 0, next: 5), for: second)
        ledger.close(second)
        #expect(Self.released(&ledger) == [])
        ledger.acknowledge(first)
        #expect(Self.released(&ledger) == [5])
    }

    @Test("an open batch gives nothing out, acknowledged or not")
    func openBatch() {
        var ledger = InFlightRecords()
        let ticket = ledger.open()
        ledger.note(Progress(input: 0, partition: 0, next: 5), for: ticket)
        #expect(Self.released(&ledger) == [])
        ledger.close(ticket)
        #expect(Self.released(&ledger) == [5])
    }

    @Test("the ledger knows since when its oldest output waits, and how many bytes wait")
    func waiting() {
        let start = ContinuousClock.now
        var ledger = InFlightRecords()
        #expect(ledger.waitingSince == nil)
        let first = ledger.open()
        #expect(ledger.waitingSince == nil)
        ledger.expect(first, byteCount: 100, at: start)
        ledger.expect(first, byteCount: 20, at: start + .seconds(1))
        ledger.close(first)
        let second = ledger.open()
        ledger.expect(second, byteCount: 3, at: start + .seconds(1))
        #expect(ledger.waitingSince == start)
        #expect(ledger.outstandingBytes == 123)
        #expect(ledger.acknowledge(first) == 0)
        #expect(ledger.waitingSince == start)
        #expect(ledger.acknowledge(first) == 120)
        #expect(ledger.waitingSince == start + .seconds(1))
        #expect(ledger.outstandingBytes == 3)
        #expect(ledger.acknowledge(second) == 3)
        #expect(ledger.waitingSince == nil)
        // The outputs of the ticket's next step have not waited with those of the step before.
        ledger.expect(second, byteCount: 4, at: start + .seconds(9))
        #expect(ledger.waitingSince == start + .seconds(9))
    }

    @Test("a delivery ticket names its partition and its number in the ledger", arguments: [0, 1, Int32.max >> 10])
    func ticket(partition: Int32) {
        for number in [0, 1, 1 << 40 - 1] {
            for isChangelog in [false, true] {
                let ticket = DeliveryToken(partition: partition, number: number, isChangelog: isChangelog)
                #expect(DeliveryToken(raw: ticket.raw) == ticket)
            }
        }
    }

    @Test("in random order of acknowledgement, offsets come out in order and never before their outputs")
    func randomOrder() {
        let seed = UInt64.random(in: 0...UInt64.max)
        var generator = SplitMix(state: seed)
        var ledger = InFlightRecords()
        var pending: [Int] = []
        var unacknowledged: [Int: Int] = [:]
        var last: Int64 = 0
        for round in 1...2000 {
            let ticket = ledger.open()
            for _ in 0..<Int.random(in: 0...3, using: &generator) {
                ledger.expect(ticket)
                pending.append(ticket)
                unacknowledged[ticket, default: 0] += 1
            }
            ledger.note(Progress(input: 0, partition: 0, next: Int64(ticket)), for: ticket)
            ledger.close(ticket)
            while !pending.isEmpty, round == 2000 || Bool.random(using: &generator) {
                let index = Int.random(in: 0..<pending.count, using: &generator)
                let acknowledged = pending.remove(at: index)
                ledger.acknowledge(acknowledged)
                unacknowledged[acknowledged, default: 0] -= 1
            }
            for next in Self.released(&ledger) {
                #expect(next == last, "seed \(seed)")
                #expect(unacknowledged[Int(next)] ?? 0 == 0, "seed \(seed)")
                last = next + 1
            }
        }
        #expect(ledger.isEmpty, "seed \(seed)")
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
