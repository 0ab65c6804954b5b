import Support

/// Queue of events, ordered by the time at which they are sent.
struct EventQueue: Sendable {
    private struct Entry: Sendable {
        var sentAt: Timestamp
        var number: UInt64
        var event: SimulatedEvent
    }

    /// A binary heap, the next event first; events of the same millisecond keep the order in which they were posted.
    private var heap: [Entry] = []
    private var posted: UInt64 = 0

    mutating func post(_ event: SimulatedEvent) {
        heap.append(Entry(sentAt: event.sentAt, number: posted, event: event))
        posted += 1
        var child = heap.count - 1
        while child > 0, case let parent = (child - 1) / 2, precedes(child, parent) {
            heap.swapAt(child, parent)
            child = parent
        }
    }

    /// Removes and returns the next event that is sent at or before `time`.
    mutating func next(upTo time: Timestamp) -> SimulatedEvent? {
        guard let first = heap.first, first.sentAt <= time, let last = heap.popLast() else { return nil }
        if !heap.isEmpty {
            heap[0] = last
            var parent = 0
            while case let left = parent * 2 + 1, left < heap.count {
                let child = left + 1 < heap.count && precedes(left + 1, left) ? left + 1 : left
                guard precedes(child, parent) else { break }
                heap.swapAt(child, parent)
                parent = child
            }
        }
        return first.event
    }

    private func precedes(_ left: Int, _ right: Int) -> Bool {
        heap[left].sentAt != heap[right].sentAt
            ? heap[left].sentAt < heap[right].sentAt : heap[left].number < heap[right].number
    }
}
