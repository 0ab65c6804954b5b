/// How far a client of a load is in its channel, whose updates are all in one partition.
struct LoadPosition {
    /// Of the last update; `nil` until one has come after a state in full.
    private var sequence: Int64?
    private var event: (partition: Int64, offset: Int64)?
    /// The cursor of the last state in full, as JSON.
    private var cursor: String?
    /// Whether the subscription began with what the client had missed.
    private(set) var isResumed = false
    /// Updates sent before this were missed while the client was away.
    private var subscribedAt: Int64 = 0

    /// The member `last_event_id` of the next subscription, as JSON; `nil` for a client that has nothing.
    var lastEventJSON: String? { event.map { "\"\($0.partition)-\($0.offset)\"" } ?? cursor }

    /// Takes in the answer to a subscription.
    mutating func noteSubscribed(_ message: UnsafeRawBufferPointer) {
        subscribedAt = UpdateStamp.now
        isResumed = lastEventJSON != nil && !LoadMessage.hasSnapshot(message)
        guard !isResumed else { return }
        (sequence, event) = (nil, nil)
        cursor = LoadMessage.cursor(of: message)
    }

    /// Takes in an update.
    ///
    /// - Returns: whether it was sent while the client was subscribed.
    mutating func note(_ stamp: UpdateStamp, _ update: UnsafeRawBufferPointer, _ totals: inout LoadTotals) -> Bool {
        if let sequence, stamp.sequence <= sequence {
            totals.repeated += 1
            return false
        }
        if let sequence { totals.missing += Int(stamp.sequence - sequence - 1) }
        sequence = stamp.sequence
        event = LoadMessage.event(update) ?? event
        return stamp.sentAt >= subscribedAt
    }
}
