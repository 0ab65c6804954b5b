import TestSupport
import Testing

@testable import Gateways
@testable import Support

@Suite("Acknowledgement window")
struct AcknowledgementWindowTests {
    private static func span(_ lowest: Int64, _ highest: Int64, session: StaticString = "s1") -> SequenceSpan {
        SequenceSpan(session: ByteSlice(session), lowest: lowest, highest: highest)
    }

    private static func single(_ sequence: Int64, session: StaticString = "s1") -> SequenceSpan {
        span(sequence, sequence, session: session)
    }

    @Test("a record is reported when all records up to it are acknowledged")
    func order() {
        var window = AcknowledgementWindow(capacity: 8)
        let indices = (1...4).map { window.append(Self.single($0 + 100)) }
        #expect(indices == [0, 1, 2, 3])
        #expect(window.acknowledge(2) == nil)
        #expect(window.acknowledge(1) == nil)
        #expect(window.acknowledge(0) == AcknowledgementWindow.Progress(records: 3, session: "s1", sequence: 103))
        #expect(window.acknowledge(3) == AcknowledgementWindow.Progress(records: 4, session: "s1", sequence: 104))
        #expect(window.outstanding == 0)
    }

    @Test("a repeated acknowledgement has no effect")
    func repeated() {
        var window = AcknowledgementWindow(capacity: 8)
        for sequence in 1...3 { _ = window.append(Self.single(Int64(sequence))) }
        #expect(window.acknowledge(0)?.records == 1)
        #expect(window.acknowledge(0) == nil)
        #expect(window.acknowledge(2) == nil)
        #expect(window.acknowledge(2) == nil)
        #expect(window.acknowledge(1)?.records == 3)
    }

    @Test("a full window has no room until its oldest record is acknowledged")
    func full() {
        var window = AcknowledgementWindow(capacity: 2)
        #expect(window.append(Self.single(1)) == 0 && window.hasRoom)
        #expect(window.append(Self.single(2)) == 1 && !window.hasRoom)
        #expect(window.acknowledge(1) == nil)
        #expect(!window.hasRoom && window.outstanding == 2)
        #expect(window.acknowledge(0)?.sequence == 2)
        #expect(window.hasRoom)
        #expect(window.append(Self.single(3)) == 2)
        #expect(window.acknowledge(2)?.sequence == 3)
    }

    @Test("a batch is reported by its highest sequence")
    func batch() {
        var window = AcknowledgementWindow(capacity: 4)
        _ = window.append(Self.span(10, 29))
        _ = window.append(Self.span(30, 49))
        #expect(window.acknowledge(0)?.sequence == 29)
        #expect(window.acknowledge(1)?.sequence == 49)
    }

    @Test("a record without a sequence is counted and does not change the sequence")
    func withoutSequence() {
        var window = AcknowledgementWindow(capacity: 4)
        _ = window.append(nil)
        _ = window.append(Self.single(7))
        _ = window.append(nil)
        #expect(window.acknowledge(0) == AcknowledgementWindow.Progress(records: 1, session: "", sequence: nil))
        #expect(window.acknowledge(1) == AcknowledgementWindow.Progress(records: 2, session: "s1", sequence: 7))
        #expect(window.acknowledge(2) == AcknowledgementWindow.Progress(records: 3, session: "s1", sequence: 7))
    }

    @Test("a new session has its own sequence")
    func sessions() {
        var window = AcknowledgementWindow(capacity: 4)
        _ = window.append(Self.single(900))
        _ = window.append(Self.single(1, session: "s2"))
        _ = window.append(Self.single(2, session: "s2"))
        #expect(window.acknowledge(0) == AcknowledgementWindow.Progress(records: 1, session: "s1", sequence: 900))
        #expect(window.acknowledge(1) == AcknowledgementWindow.Progress(records: 2, session: "s2", sequence: 1))
        #expect(window.acknowledge(2) == AcknowledgementWindow.Progress(records: 3, session: "s2", sequence: 2))
    }

    @Test("a sequence is not reported while a lower sequence that was sent later is outstanding")
    func backlog() {
        var window = AcknowledgementWindow(capacity: 4)
        for sequence in [5, 6, 3] { _ = window.append(Self.single(Int64(sequence))) }
        #expect(window.acknowledge(0) == AcknowledgementWindow.Progress(records: 1, session: "s1", sequence: nil))
        #expect(window.acknowledge(1) == AcknowledgementWindow.Progress(records: 2, session: "s1", sequence: nil))
        #expect(window.acknowledge(2) == AcknowledgementWindow.Progress(records: 3, session: "s1", sequence: 6))
    }

    @Test("a lower sequence that is already acknowledged does not block the report")
    func backlogAcknowledged() {
        var window = AcknowledgementWindow(capacity: 4)
        for sequence in [5, 6, 3] { _ = window.append(Self.single(Int64(sequence))) }
        #expect(window.acknowledge(2) == nil)
        #expect(window.acknowledge(0)?.sequence == 5)
    }

    /// Reference model that stores every record.
    private struct Model {
        struct Sent {
            var session: Int
            var sequences: ClosedRange<Int64>?
            var isAcknowledged = false
        }
        var sent: [Sent] = []
        var prefixCount: Int { sent.firstIndex { !$0.isAcknowledged } ?? sent.count }

        /// Last session in the acknowledged prefix, and the highest sequence of its latest run of records.
        var reached: (session: Int, highest: Int64)? {
            let numbered = sent[..<prefixCount].filter { $0.sequences != nil }
            guard let last = numbered.last else { return nil }
            let run = numbered.reversed().prefix { $0.session == last.session }
            return run.compactMap { $0.sequences?.upperBound }.max().map { (last.session, $0) }
        }

        func isComplete(upTo sequence: Int64, session: Int) -> Bool {
            sent.allSatisfy { record in
                record.isAcknowledged || record.session != session
                    || record.sequences.map { $0.lowerBound > sequence } ?? true
            }
        }
    }

    private static let names: [StaticString] = ["s1", "a session with a longer name", ""]

    /// Draws the sequences of a record, above `last` if `isRising`; `nil` for one record in eight.
    private static func next(
        after last: inout Int64, isRising: Bool, _ generator: inout SeededGenerator
    ) -> ClosedRange<Int64>? {
        guard Int.random(in: 0..<8, using: &generator) > 0 else { return nil }
        let lowest = isRising ? last + 1 : Int64.random(in: 0...60, using: &generator)
        last = lowest + Int64.random(in: 0...3, using: &generator)
        return lowest...last
    }

    @Test(
        "with acknowledgements in any order, the reports match a reference model",
        arguments: [UInt64(51), 52, 53, 54, 55, 56], [true, false])
    func model(seed: UInt64, isRising: Bool) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<60 {
            let capacity = Int.random(in: 1...9, using: &generator)
            var (window, model) = (AcknowledgementWindow(capacity: capacity), Model())
            var (session, last, reported) = (0, Int64(0), AcknowledgementWindow.Progress?.none)
            for _ in 0..<120 {
                let unacknowledged = model.sent.indices.filter { !model.sent[$0].isAcknowledged }
                if Bool.random(using: &generator), let index = unacknowledged.randomElement(using: &generator) {
                    let before = model.prefixCount
                    model.sent[index].isAcknowledged = true
                    let progress = window.acknowledge(index)
                    #expect((progress != nil) == (model.prefixCount > before), "seed \(seed)")
                    guard let progress else { continue }
                    expect(progress, after: reported, model, isRising: isRising, seed)
                    reported = progress
                } else {
                    if Int.random(in: 0..<30, using: &generator) == 0 { session = (session + 1) % 3 }
                    let sequences = Self.next(after: &last, isRising: isRising, &generator)
                    let span = sequences.map {
                        Self.span($0.lowerBound, $0.upperBound, session: Self.names[session])
                    }
                    let hasRoom = model.sent.count - model.prefixCount < capacity
                    #expect(window.hasRoom == hasRoom, "seed \(seed)")
                    guard hasRoom else { continue }
                    #expect(window.append(span) == model.sent.count, "seed \(seed)")
                    model.sent.append(Model.Sent(session: session, sequences: sequences))
                }
                #expect(window.outstanding == model.sent.count - model.prefixCount, "seed \(seed)")
            }
        }
    }

    private func expect(
        _ progress: AcknowledgementWindow.Progress, after reported: AcknowledgementWindow.Progress?, _ model: Model,
        isRising: Bool, _ seed: UInt64
    ) {
        #expect(progress.records == model.prefixCount, "seed \(seed)")
        guard let (session, highest) = model.reached else {
            #expect(progress.sequence == nil, "seed \(seed)")
            return
        }
        #expect(progress.session == "\(Self.names[session])", "seed \(seed)")
        let isNew = progress.sequence != reported?.sequence || progress.session != reported?.session
        if let sequence = progress.sequence, isNew {
            #expect(model.isComplete(upTo: sequence, session: session), "seed \(seed): up to \(sequence)")
        }
        if isRising || model.isComplete(upTo: highest, session: session) {
            #expect(progress.sequence == highest, "seed \(seed)")
        }
    }
}
