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

    /// Returns whether a verdict is from the driver, and whether riders see its position; `nil` if absent.
    func find(_ event: EventID, driver: String) -> (isDriver: Bool, isShown: Bool)? {
        guard let value = table[event] else { return nil }
        return (value & ~Self.shownBit == Self.number(of: driver), value & Self.shownBit != 0)
    }

    /// Returns whether riders see the position of a verdict; `nil` if absent.
    func isShown(_ event: EventID) -> Bool? { table[event].map { $0 & Self.shownBit != 0 } }

    /// Calls `body` with each visible verdict from index `start` through `last`, and the number of its driver.
    /// - Returns: the next index.
    func visitShown(from start: Int, through last: EventID, _ body: (EventID, UInt64) -> Void) -> Int {
        table.visit(from: start, through: last) { event, value in
            if value & Self.shownBit != 0 { body(event, value & ~Self.shownBit) }
        }
    }

    /// Returns the number of a driver, from the hash of its id.
    static func number(of driver: String) -> UInt64 { ByteSlice.withBytes(of: driver) { $0.stableHash } & ~shownBit }

    private static func isShown(_ verdict: borrowing VerdictRecord) -> Bool {
        let reasons = verdict.reasons
        return verdict.estimate != nil && !reasons.contains(.flagged)
    }
}

/// A map from events to numbers, with 24 bytes per event; events must be appended in order.
struct EventTable {
    private struct Entry {
        var offset: Int64
        var part: UInt64
        var value: UInt64
    }

    private var raw: [Entry] = []
    private var trips: [Entry] = []

    /// Appends an event that is after all stored events of its origin.
    mutating func append(_ event: EventID, _ value: UInt64) {
        let entry = Entry(offset: event.offset, part: event.part, value: value)
        switch event.origin {
        case .raw: raw.append(entry)
        case .trips: trips.append(entry)
        }
    }

    subscript(event: EventID) -> UInt64? {
        let entries = event.origin == .raw ? raw : trips
        var range = entries.indices
        while !range.isEmpty {
            let middle = (range.lowerBound + range.upperBound) / 2
            let entry = entries[middle]
            if (entry.offset, entry.part) == (event.offset, event.part) { return entry.value }
            let isBefore = (entry.offset, entry.part) < (event.offset, event.part)
            range = isBefore ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return nil
    }

    /// Calls `body` with the events of the raw topic from index `start` through `last`; returns the next index.
    func visit(from start: Int, through last: EventID, _ body: (EventID, UInt64) -> Void) -> Int {
        var index = start
        while index < raw.count {
            let entry = raw[index]
            let event = EventID(origin: .raw, partition: last.partition, offset: entry.offset, part: entry.part)
            if event.isAfter(last) { break }
            body(event, entry.value)
            index += 1
        }
        return index
    }
}
