import Kafka

/// Unacknowledged records by slot; slots are reused.
///
/// Used on one event loop. Does not allocate in steady state.
struct InFlightTable<Content> {
    private var entries: [Content?] = []
    private var free: [Int] = []

    var count: Int { entries.count - free.count }

    /// Reserves a slot, which is empty until ``fill(_:with:)``.
    mutating func reserve() -> Int {
        if let slot = free.popLast() { return slot }
        entries.append(nil)
        return entries.count - 1
    }

    mutating func fill(_ slot: Int, with content: Content) { entries[slot] = content }

    /// Releases a slot and returns its content; `nil` if it is empty.
    @discardableResult
    mutating func release(_ slot: Int) -> Content? {
        let content = entries[slot]
        entries[slot] = nil
        free.append(slot)
        return content
    }
}

/// Delivery report of a record, for the event loop that queued it.
struct DriverDelivery: Sendable {
    /// Slot of the record in the event loop's ``InFlightTable``.
    let slot: Int
    /// Why the record was not written; `nil` if Kafka has acknowledged it.
    let error: KafkaError?
}

/// Encodes the event loop and the slot of a record in one integer.
enum DriverDeliveryToken {
    private static let loopBits = 10
    static let maximumLoops = 1 << loopBits

    static func make(loop: Int, slot: Int) -> Int { slot << loopBits | loop }

    static func loop(of token: Int) -> Int { token & (maximumLoops - 1) }
    static func slot(of token: Int) -> Int { token >> loopBits }
}
