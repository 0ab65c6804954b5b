import HeapModule
import Support

/// A queue of events, ordered by the time at which they are sent.
struct EventQueue: Sendable {
    /// An event with its posting number, which orders events of the same millisecond.
    private struct Entry: Comparable, Sendable {
        var sentAt: Timestamp
        var number: UInt64
        var event: SimulatedEvent

        static func < (left: Entry, right: Entry) -> Bool {
            left.sentAt != right.sentAt ? left.sentAt < right.sentAt : left.number < right.number
        }

        static func == (left: Entry, right: Entry) -> Bool { left.number == right.number }
    }

    private var heap = Heap<Entry>()
    private var posted: UInt64 = 0

    mutating func post(_ event: SimulatedEvent) {
        heap.insert(Entry(sentAt: event.sentAt, number: posted, event: event))
        posted += 1
    }

    mutating func next(upTo time: Timestamp) -> SimulatedEvent? {
        guard let first = heap.min, first.sentAt <= time else { return nil }
        return heap.popMin()?.event
    }
}
