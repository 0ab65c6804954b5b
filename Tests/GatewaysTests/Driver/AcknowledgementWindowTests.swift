import TestSupport
import Testing

@testable import Gateways
@testable import Support

@Suite("Acknowledgements to a device")
struct AcknowledgementWindowTests {
    private static func span(_ lowest: Int64, _ highest: Int64, session: StaticString = "s1") -> SequenceSpan {
        SequenceSpan(session: ByteSlice(session), lowest: lowest, highest: highest)
    }

    private static func one(_ sequence: Int64, session: StaticString = "s1") -> SequenceSpan {
        span(sequence, sequence, session: session)
    }

    @Test("a record is acknowledged to the device when it and all before it are")
    func order() {
        var window = AcknowledgementWindow(capacity: 8)
        let tickets = (1...4).map { window.send(Self.one($0 + 100)) }
        #expect(tickets == [0, 1, 2, 3])
        #expect(window.acknowledge(2) == nil)
        #expect(window.acknowledge(1) == nil)
        #expect(window.acknowledge(0) == AcknowledgementWindow.Progress(records: 3, session: "s1", sequence: 103))
        #expect(window.acknowledge(3) == AcknowledgementWindow.Progress(records: 4, session: "s1", sequence: 104))
        #expect(window.outstanding == 0)
    }

    @Test("an acknowledgement that comes again says nothing")
    func again() {
        var window = AcknowledgementWindow(capacity: 8)
        for sequence in 1...3 { _ = window.send(Self.one(Int64(sequence))) }
        #expect(window.acknowledge(0)?.records == 1)
        #expect(window.acknowledge(0) == nil)
        #expect(window.acknowledge(2) == nil)
        #expect(window.acknowledge(2) == nil)
        #expect(window.acknowledge(1)?.records == 3)
    }

    @Test("a full window takes no record until the oldest is acknowledged")
    func full() {
        var window = AcknowledgementWindow(capacity: 2)
        #expect(window.send(Self.one(1)) == 0 && window.hasRoom)
        #expect(window.send(Self.one(2)) == 1 && !window.hasRoom)
        #expect(window.send(Self.one(3)) == nil)
        #expect(window.acknowledge(1) == nil)
        #expect(!window.hasRoom && window.outstanding == 2)
        #expect(window.acknowledge(0)?.sequence == 2)
        #expect(window.hasRoom)
        #expect(window.send(Self.one(3)) == 2)
        #expect(window.acknowledge(2)?.sequence == 3)
    }

    @Test("a batch counts with its highest sequence, in whatever order its fixes stand")
    func batch() {
        var window = AcknowledgementWindow(capacity: 4)
        _ = window.send(Self.span(10, 29))
        _ = window.send(Self.span(30, 49))
        #expect(window.acknowledge(0)?.sequence == 29)
        #expect(window.acknowledge(1)?.sequence == 49)
    }

    @Test("a record without a sequence is counted, and neither adds to the sequence nor takes from it")
    func withoutSequence() {
        var window = AcknowledgementWindow(capacity: 4)
        _ = window.send(nil)
        _ = window.send(Self.one(7))
        _ = window.send(nil)
        #expect(window.acknowledge(0) == AcknowledgementWindow.Progress(records: 1, session: "", sequence: nil))
        #expect(window.acknowledge(1) == AcknowledgementWindow.Progress(records: 2, session: "s1", sequence: 7))
        #expect(window.acknowledge(2) == AcknowledgementWindow.Progress(records: 3, session: "s1", sequence: 7))
    }

    @Test("a new session counts from its own beginning, and the old one does not hold it back")
    func sessions() {
        var window = AcknowledgementWindow(capacity: 4)
        _ = window.send(Self.one(900))
        _ = window.send(Self.one(1, session: "s2"))
        _ = window.send(Self.one(2, session: "s2"))
        #expect(window.acknowledge(0) == AcknowledgementWindow.Progress(records: 1, session: "s1", sequence: 900))
        #expect(window.acknowledge(1) == AcknowledgementWindow.Progress(records: 2, session: "s2", sequence: 1))
        #expect(window.acknowledge(2) == AcknowledgementWindow.Progress(records: 3, session: "s2", sequence: 2))
    }

    @Test("a sequence is not acknowledged while a lower one that was sent later is still waited for")
    func backlog() {
        var window = AcknowledgementWindow(capacity: 4)
        for sequence in [5, 6, 3] { _ = window.send(Self.one(Int64(sequence))) }
        #expect(window.acknowledge(0) == AcknowledgementWindow.Progress(records: 1, session: "s1", sequence: nil))
        #expect(window.acknowledge(1) == AcknowledgementWindow.Progress(records: 2, session: "s1", sequence: nil))
        #expect(window.acknowledge(2) == AcknowledgementWindow.Progress(records: 3, session: "s1", sequence: 6))
    }

    @Test("a lower sequence that is acknowledged already, behind a gap, holds nothing back")
    func backlogAcknowledged() {
        var window = AcknowledgementWindow(capacity: 4)
        for sequence in [5, 6, 3] { _ = window.send(Self.one(Int64(sequence))) }
        #expect(window.acknowledge(2) == nil)
        #expect(window.acknowledge(0)?.sequence == 5)
    }

    /// All that was ever sent, as plainly as it can be kept.
    private struct Model {
        struct Sent {
            var session: Int
            var sequences: ClosedRange<Int64>?
            var isAcknowledged = false
        }
        var sent: [Sent] = []
        var prefix: Int { sent.firstIndex { !$0.isAcknowledged } ?? sent.count }

        /// The newest session of the prefix that has sequences, and its highest sequence since it began.
        var reached: (session: Int, highest: Int64)? {
            let numbered = sent[..<prefix].filter { $0.sequences != nil }
            guard let last = numbered.last else { return nil }
            let run = numbered.reversed().prefix { $0.session == last.session }
            return run.compactMap { $0.sequences?.upperBound }.max().map { (last.session, $0) }
        }

        func isSafe(_ sequence: Int64, session: Int) -> Bool {
            sent.allSatisfy { record in
                record.isAcknowledged || record.session != session
                    || record.sequences.map { $0.lowerBound > sequence } ?? true
            }
        }
    }

    private static let names: [StaticString] = ["s1", "a session with a longer name", ""]

    /// What a device gives its next record: rising, or anything.
    private static func next(
        after last: inout Int64, isRising: Bool, _ generator: inout SeededGenerator
    ) -> ClosedRange<Int64>? {
        guard Int.random(in: 0..<8, using: &generator) > 0 else { return nil }
        let lowest = isRising ? last + 1 : Int64.random(in: 0...60, using: &generator)
        last = lowest + Int64.random(in: 0...3, using: &generator)
        return lowest...last
    }

    @Test(
        "with acknowledgements in any order it says as much as a model, and nothing that is not so",
        arguments: [UInt64(51), 52, 53, 54, 55, 56], [true, false])
    func model(seed: UInt64, isRising: Bool) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<60 {
            let capacity = Int.random(in: 1...9, using: &generator)
            var (window, model) = (AcknowledgementWindow(capacity: capacity), Model())
            var (session, last, told) = (0, Int64(0), AcknowledgementWindow.Progress?.none)
            for _ in 0..<120 {
                let waiting = model.sent.indices.filter { !model.sent[$0].isAcknowledged }
                if Bool.random(using: &generator), let ticket = waiting.randomElement(using: &generator) {
                    let before = model.prefix
                    model.sent[ticket].isAcknowledged = true
                    let progress = window.acknowledge(ticket)
                    #expect((progress != nil) == (model.prefix > before), "seed \(seed)")
                    guard let progress else { continue }
                    expect(progress, after: told, model, isRising: isRising, seed)
                    told = progress
                } else {
                    if Int.random(in: 0..<30, using: &generator) == 0 { session = (session + 1) % 3 }
                    let sequences = Self.next(after: &last, isRising: isRising, &generator)
                    let span = sequences.map {
                        Self.span($0.lowerBound, $0.upperBound, session: Self.names[session])
                    }
                    let hasRoom = model.sent.count - model.prefix < capacity
                    #expect(window.hasRoom == hasRoom, "seed \(seed)")
                    #expect(window.send(span) == (hasRoom ? model.sent.count : nil), "seed \(seed)")
                    if hasRoom { model.sent.append(Model.Sent(session: session, sequences: sequences)) }
                }
                #expect(window.outstanding == model.sent.count - model.prefix, "seed \(seed)")
            }
        }
    }

    private func expect(
        _ progress: AcknowledgementWindow.Progress, after told: AcknowledgementWindow.Progress?, _ model: Model,
        isRising: Bool, _ seed: UInt64
    ) {
        #expect(progress.records == model.prefix, "seed \(seed)")
        guard let (session, highest) = model.reached else {
            #expect(progress.sequence == nil, "seed \(seed)")
            return
        }
        #expect(progress.session == "\(Self.names[session])", "seed \(seed)")
        let isNew = progress.sequence != told?.sequence || progress.session != told?.session
        if let sequence = progress.sequence, isNew {
            #expect(model.isSafe(sequence, session: session), "seed \(seed): \(sequence) is not acknowledged")
        }
        if isRising || model.isSafe(highest, session: session) {
            #expect(progress.sequence == highest, "seed \(seed)")
        }
    }
}
