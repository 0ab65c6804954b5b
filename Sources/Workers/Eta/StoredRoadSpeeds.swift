import ArrivalTimes

/// What the paces topic holds, while a partition is restored.
///
/// Only whole checkpoints count: a process that died while writing one left a part of it, and what that contains is
/// learned again from the changelog.
struct StoredRoadSpeeds {
    private struct Held {
        var stamp: RoadSpeedRecord.Stamp
        var content: RoadSpeedRecord.Content
    }

    /// The newest whole checkpoint; `nil` before the first.
    private(set) var last: RoadSpeedRecord.Stamp?
    private var held: [RoadSpeedTable.Key: Held] = [:]
    /// Records of checkpoints whose end has not come yet.
    private var pending: [RoadSpeedRecord] = []
    /// Keys whose last record in the topic is not the one that counts, because a process that no longer held the
    /// partition wrote it; compaction would leave that one.
    private var overtaken: Set<RoadSpeedTable.Key> = []

    /// Takes in the topic's next record.
    mutating func take(_ record: RoadSpeedRecord) {
        guard case .end = record.content else { return pending.append(record) }
        for other in pending where other.stamp <= record.stamp { settle(other) }
        pending.removeAll { $0.stamp <= record.stamp }
        last = max(last ?? record.stamp, record.stamp)
    }

    private mutating func settle(_ record: RoadSpeedRecord) {
        guard let key = Self.key(of: record.content) else { return }
        if let found = held[key], found.stamp > record.stamp {
            overtaken.insert(key)
        } else {
            held[key] = Held(stamp: record.stamp, content: record.content)
            overtaken.remove(key)
        }
    }

    private static func key(of content: RoadSpeedRecord.Content) -> RoadSpeedTable.Key? {
        switch content {
        case .pace(let entry): entry.key
        case .noPace(let key): key
        case .end: nil
        }
    }

    /// The entries of the last whole checkpoint, in an order of their own.
    var paces: [RoadSpeedTable.Entry] {
        let entries = held.values.compactMap { held in
            if case .pace(let entry) = held.content { entry } else { nil }
        }
        return entries.sorted { ($0.key.cell, $0.key.band) < ($1.key.cell, $1.key.band) }
    }

    /// Keys whose last record in the topic does not say what counts, in an order of their own.
    var keysToRepeat: [RoadSpeedTable.Key] {
        let keys = overtaken.union(pending.compactMap { Self.key(of: $0.content) })
        return keys.sorted { ($0.cell, $0.band) < ($1.cell, $1.band) }
    }
}
