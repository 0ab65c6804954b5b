import Model

/// A number for each of many events, 24 bytes apiece; events are entered in the order of their clock.
struct EventTable {
    private struct Column {
        var offsets: [Int64] = []
        var parts: [UInt64] = []
        var values: [UInt64] = []
    }

    private var raw = Column()
    private var trips = Column()

    /// Enters an event that comes after all others of its origin.
    mutating func append(_ event: EventID, _ value: UInt64) {
        switch event.origin {
        case .raw: Self.append(event, value, to: &raw)
        case .trips: Self.append(event, value, to: &trips)
        }
    }

    subscript(event: EventID) -> UInt64? {
        let column = event.origin == .raw ? raw : trips
        var low = 0
        var high = column.values.count
        while low < high {
            let middle = (low + high) / 2
            if (column.offsets[middle], column.parts[middle]) < (event.offset, event.part) {
                low = middle + 1
            } else {
                high = middle
            }
        }
        guard low < column.values.count, column.offsets[low] == event.offset, column.parts[low] == event.part
        else { return nil }
        return column.values[low]
    }

    /// Hands over the events of the raw topic from the one numbered `start` on, up to `last`.
    ///
    /// - Returns: the number of the next one.
    func visit(from start: Int, through last: EventID, _ body: (EventID, UInt64) -> Void) -> Int {
        var number = start
        while number < raw.values.count {
            let event = EventID(
                origin: .raw, partition: last.partition, offset: raw.offsets[number], part: raw.parts[number])
            if event.isAfter(last) { break }
            body(event, raw.values[number])
            number += 1
        }
        return number
    }

    private static func append(_ event: EventID, _ value: UInt64, to column: inout Column) {
        column.offsets.append(event.offset)
        column.parts.append(event.part)
        column.values.append(value)
    }
}
