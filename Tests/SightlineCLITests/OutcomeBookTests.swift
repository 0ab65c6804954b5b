import Pipeline
import Testing

@testable import SightlineCLI

@Suite("Matching fixes with their outcomes")
struct OutcomeBookTests {
    private func event(_ offset: Int64, partition: Int32 = 0, fix: Int? = nil) -> EventID {
        let event = EventID(partition: partition, offset: offset)
        return fix.map { event.withFix($0) } ?? event
    }

    @Test("a fix with one outcome is settled, whichever is read first")
    func settled() {
        var book = OutcomeBook()
        book.noteRaw(partition: 0, offset: 0, fixes: 1)
        book.noteOutcome(of: event(0))
        book.noteOutcome(of: event(1))
        book.noteRaw(partition: 0, offset: 1, fixes: 1)
        #expect(book.missing == 0 && book.surplus == 0 && book.unexplained == 0)
    }

    @Test("a fix without an outcome is missing until it has one")
    func missing() {
        var book = OutcomeBook()
        book.noteRaw(partition: 2, offset: 5, fixes: 1)
        #expect(book.missing == 1)
        book.noteOutcome(of: event(5, partition: 1))
        #expect(book.missing == 1, "the outcome of another partition is not its own")
        book.noteOutcome(of: event(5, partition: 2))
        #expect(book.missing == 0)
    }

    @Test("a batch is owed an outcome for each of its fixes")
    func batch() {
        var book = OutcomeBook()
        book.noteOutcome(of: event(3, fix: 0))
        book.noteRaw(partition: 0, offset: 3, fixes: 3)
        #expect(book.missing == 2)
        book.noteOutcome(of: event(3, fix: 1))
        book.noteOutcome(of: event(3, fix: 2))
        #expect(book.missing == 0 && book.surplus == 0)
    }

    @Test("an outcome too many is counted, before and after the fix was settled")
    func surplus() {
        var book = OutcomeBook()
        book.noteOutcome(of: event(0))
        book.noteOutcome(of: event(0))
        book.noteRaw(partition: 0, offset: 0, fixes: 1)
        #expect(book.surplus == 1)
        book.noteOutcome(of: event(0))
        #expect(book.surplus == 2 && book.missing == 0)
    }

    @Test("an outcome of a raw record that never comes is unexplained")
    func unexplained() {
        var book = OutcomeBook()
        book.noteRaw(partition: 0, offset: 7, fixes: 1)
        book.noteOutcome(of: event(7))
        book.noteOutcome(of: event(8))
        #expect(book.unexplained == 1 && book.missing == 0)
    }

    @Test("a batch without fixes is owed nothing")
    func empty() {
        var book = OutcomeBook()
        book.noteRaw(partition: 0, offset: 0, fixes: 0)
        #expect(book.missing == 0)
    }
}
