import Codec
import Domain
import Support

/// Driver and visibility of all verdicts of a partition, with 24 bytes per verdict.
struct VerdictIndex {
    private var table = EventTable()
    private static let shownBit: UInt64 = 1

    mutating func append(_ verdict: borrowing VerdictRecord, event: EventID) {
        let driver = verdict.driverID.stableHash & ~Self.shownBit
        table.append(event, driver | (Self.isShown(verdict) ? Self.shownBit : 0))
    }

    /// Whether a verdict is from the driver, and whether riders see its position; `nil` if it does not exist.
    func find(_ event: EventID, driver: String) -> (isDriver: Bool, isShown: Bool)? {
        guard let value = table[event] else { return nil }
        return (value & ~Self.shownBit == Self.number(of: driver), value & Self.shownBit != 0)
    }

    /// Whether riders see the position of a verdict; `nil` if it does not exist.
    func isShown(_ event: EventID) -> Bool? { table[event].map { $0 & Self.shownBit != 0 } }

    /// Calls `body` with the visible verdicts from index `start` through `last`, and the number of the driver; returns the
    /// next index.
    func visitShown(from start: Int, through last: EventID, _ body: (EventID, UInt64) -> Void) -> Int {
        table.visit(from: start, through: last) { event, value in
            if value & Self.shownBit != 0 { body(event, value & ~Self.shownBit) }
        }
    }

    /// The number of a driver, from the hash of its id.
    static func number(of driver: String) -> UInt64 { ByteSlice.withBytes(of: driver) { $0.stableHash } & ~shownBit }

    private static func isShown(_ verdict: borrowing VerdictRecord) -> Bool {
        let reasons = verdict.reasons
        return verdict.estimate != nil && !reasons.contains(.flagged)
    }
}

/// Maps events to numbers with 24 bytes per event; events must be appended in order.
struct EventTable {
    private struct Column {
        var offsets: [Int64] = []
        var parts: [UInt64] = []
        var values: [UInt64] = []
    }

    private var raw = Column()
    private var trips = Column()

    /// Appends an event after all others of its origin.
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

    /// Calls `body` with the events of the raw topic from index `start` through `last`; returns the next index.
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
