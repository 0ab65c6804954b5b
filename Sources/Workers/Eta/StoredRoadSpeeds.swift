import Domain

/// Records of road.speeds, read by a restore; only those of complete checkpoints are used.
struct StoredRoadSpeeds {
    /// The newest complete checkpoint; `nil` before the first.
    private(set) var last: RoadSpeedRecord.CheckpointID?
    /// The newest record of each key from complete checkpoints.
    private var records: [RoadSpeedTable.Key: RoadSpeedRecord] = [:]
    /// Records of checkpoints whose end has not been read.
    private var pending: [RoadSpeedRecord] = []
    /// Keys whose last record in the topic is outdated, because a former owner of the partition wrote it.
    private var outdatedKeys: Set<RoadSpeedTable.Key> = []

    mutating func add(_ record: RoadSpeedRecord) {
        guard case .end = record.content else { return pending.append(record) }
        for other in pending where other.checkpoint <= record.checkpoint { commit(other) }
        pending.removeAll { $0.checkpoint <= record.checkpoint }
        last = max(last ?? record.checkpoint, record.checkpoint)
    }

    private mutating func commit(_ record: RoadSpeedRecord) {
        guard let key = Self.key(of: record.content) else { return }
        if let found = records[key], found.checkpoint > record.checkpoint {
            outdatedKeys.insert(key)
        } else {
            records[key] = record
            outdatedKeys.remove(key)
        }
    }

    private static func key(of content: RoadSpeedRecord.Content) -> RoadSpeedTable.Key? {
        switch content {
        case .entry(let entry): entry.key
        case .removed(let key): key
        case .end: nil
        }
    }

    /// Entries of the complete checkpoints, ordered by key.
    var entries: [RoadSpeedTable.Entry] {
        let entries = records.values.compactMap { record in
            if case .entry(let entry) = record.content { entry } else { nil }
        }
        return entries.sorted { ($0.key.cell, $0.key.band) < ($1.key.cell, $1.key.band) }
    }

    /// Keys to write again, ordered: their last record is outdated or belongs to an incomplete checkpoint.
    var keysToRewrite: [RoadSpeedTable.Key] {
        let keys = outdatedKeys.union(pending.compactMap { Self.key(of: $0.content) })
        return keys.sorted { ($0.cell, $0.band) < ($1.cell, $1.band) }
    }
}
