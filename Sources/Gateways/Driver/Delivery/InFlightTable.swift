import Kafka

/// Unacknowledged records by slot; slots are reused.
///
/// Used on one event loop. Does not allocate in steady state.
struct InFlightTable<Content> {
    private var entries: [Content?] = []
    private var free: [Int] = []

    var count: Int { entries.count - free.count }

    /// Stores `content` and returns its slot.
    mutating func insert(_ content: Content) -> Int {
        guard let slot = free.popLast() else {
            entries.append(content)
            return entries.count - 1
        }
        entries[slot] = content
        return slot
    }

    /// Frees a slot and returns its content; `nil` if the slot is already free.
    @discardableResult
    mutating func remove(_ slot: Int) -> Content? {
        guard let content = entries[slot] else { return nil }
        entries[slot] = nil
        free.append(slot)
        return content
    }
}

/// Session or HTTP request that queued a record and receives its delivery report.
enum RecordOrigin {
    /// `record` is the index in the session, `messageID` the message's id as JSON text.
    case session(DriverSession, record: Int, messageID: String?)
    case upload(RecordUpload)
}

/// Result of queuing a record.
enum QueueResult {
    case queued
    /// The queue or the partition's share is full, or there is no producer yet; retry later.
    case full
    case failed(KafkaError)
}

/// Delivery report of a record, for the event loop that queued the record.
struct DriverDelivery: Sendable {
    /// Slot of the record in the event loop's ``InFlightTable``.
    let slot: Int
    /// Reason why the record was not written; `nil` if Kafka has acknowledged it.
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
