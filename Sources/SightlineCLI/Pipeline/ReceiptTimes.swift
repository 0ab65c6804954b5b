import Tracking

/// When the last raw records of each lane were received, to measure from.
struct ReceiptTimes: Sendable {
    private struct Lane {
        var times: [Int64: Timestamp] = [:]
        /// Updates whose raw record has not been read yet, by its offset: when they were seen.
        var waiting: [Int64: [Timestamp]] = [:]
    }

    /// Raw records remembered per lane.
    private static let remembered: Int64 = 20_000
    private var lanes: [Int32: Lane] = [:]

    /// Remembers a raw record; returns when the updates that were read before it were seen.
    mutating func note(lane: Int32, offset: Int64, at: Timestamp) -> [Timestamp] {
        lanes[lane, default: Lane()].times[offset] = at
        lanes[lane]?.times[offset - Self.remembered] = nil
        return lanes[lane]?.waiting.removeValue(forKey: offset) ?? []
    }

    /// When a raw record was received; when that is not known yet, ``note(lane:offset:at:)`` hands `seenAt` back.
    mutating func time(lane: Int32, offset: Int64, elseWaitFrom seenAt: Timestamp) -> Timestamp? {
        if let time = lanes[lane]?.times[offset] { return time }
        lanes[lane, default: Lane()].waiting[offset, default: []].append(seenAt)
        return nil
    }
}
