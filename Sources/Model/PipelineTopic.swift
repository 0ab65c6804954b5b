/// The topics of the pipeline; all have the same number of partitions.
package enum PipelineTopic: String, CaseIterable, Sendable {
    /// Raw device locations, one record per fix or batch upload; the only input from drivers.
    case rawLocations = "driver.locations.raw"
    /// One verdict per fix; the changelog of the location worker.
    case locations = "driver.locations"
    /// Raw records that could not be read, unchanged.
    case locationsDeadLetter = "driver.locations.dead-letter"
    /// Edge-triggered warnings about drivers' fixes.
    case warnings = "driver.warnings"
    /// Pieces of driven tracks, remembered against replay.
    case tracks = "driver.tracks"
    /// Trips as the trip service sends them; compacted.
    case trips = "trips"
    /// Trip messages that were refused, unchanged.
    case tripsDeadLetter = "trips.dead-letter"
    /// Arrival times; the changelog of the eta worker.
    case tripEtas = "trip.etas"
    /// Warnings about trips that begin and end, such as leaving the route.
    case tripWarnings = "trip.warnings"
    /// What the partition's trips have taught about roads; compacted.
    case paces = "road.paces"
    /// What riders see; the changelog of the broadcast worker.
    case riderUpdates = "rider.updates"

    /// Whether it holds records that could not be processed, unchanged.
    package var isDeadLetter: Bool { self == .locationsDeadLetter || self == .tripsDeadLetter }

    /// Bytes that a dead-letter topic takes in one record: twice a broker's usual limit, as a raw record at that limit
    /// must fit with the headers that say what is wrong.
    private static let deadLetterBytes = 2 << 20
    /// Bytes of a record, with its own headers, that fit a dead-letter topic together with ours; the rest is omitted.
    package static let deadLetterInputBytes = deadLetterBytes - (32 << 10)

    /// Whether records come from outside of the pipeline, with timestamps that clocks of others have made.
    package var isInput: Bool { self == .rawLocations || self == .trips }

    /// How far ahead of the broker's clock a record of an input may be dated, in milliseconds: an hour, as by default
    /// from Kafka 4 on.
    private static let inputAheadMilliseconds: Int64 = 3_600_000

    /// Hours that records are kept; `nil` for a compacted topic.
    package var retentionHours: Int? {
        switch self {
        // What is derived is kept at least as long as what it is derived from: see ``keptTooShort(_:)``.
        case .rawLocations, .locations, .tracks, .tripEtas, .riderUpdates: 3 * 24
        case .locationsDeadLetter, .warnings, .tripsDeadLetter, .tripWarnings: 14 * 24
        case .trips, .paces: nil
        }
    }

    /// The topics that are kept for a shorter time than the raw locations.
    ///
    /// A worker that starts again reads from them what it has answered. Where that was deleted and the raw locations were
    /// not, it may answer those again, and the sinks lack what they had not read.
    ///
    /// `retention`: the `retention.ms` in force of each topic, -1 for no limit; topics that are compacted or unknown are
    /// absent.
    package static func keptTooShort(_ retention: [PipelineTopic: Int64]) -> [PipelineTopic] {
        guard let raw = retention[.rawLocations] else { return [] }
        return allCases.filter { topic in
            guard let kept = retention[topic], topic != .rawLocations, topic.retentionHours != nil, kept >= 0 else {
                return false
            }
            return raw < 0 || kept < raw
        }
    }

    /// The broker's setting of how long records are kept, in milliseconds.
    package static let retentionSetting = "retention.ms"

    /// Broker settings of the topic, as `sightline topics create` applies them.
    ///
    /// `minimumInSync`: how many replicas have a record before it is acknowledged; 2 where there are three copies, so
    /// that a record that was acknowledged survives the loss of a broker.
    package func brokerSettings(minimumInSync: Int) -> [String: String] {
        var settings = retentionSettings
        settings["min.insync.replicas"] = String(minimumInSync)
        // Only where records come in: what workers write is dated by their input, and a broker that refused it, for its
        // clock is another, would hold the partition up for good.
        settings[Self.timestampBound] = String(isInput ? Self.inputAheadMilliseconds : Int64.max)
        return settings
    }

    /// The broker's setting of how far ahead of its clock a record may be stamped; from Kafka 3.6 on.
    package static let timestampBound = "message.timestamp.after.max.ms"

    /// How many in-sync replicas a write needs where each record has `replication` copies, unless it is said.
    package static func minimumInSync(replication: Int) -> Int { replication >= 3 ? 2 : 1 }

    private var retentionSettings: [String: String] {
        guard let retentionHours else { return compactedSettings }
        var settings = ["cleanup.policy": "delete", Self.retentionSetting: String(retentionHours * 3_600_000)]
        if isDeadLetter { settings["max.message.bytes"] = String(Self.deadLetterBytes) }
        return settings
    }

    private var compactedSettings: [String: String] {
        let hour = 3_600_000
        if self == .paces {
            // Read from its beginning by every restore, so kept short; and never without the checkpoint before the
            // last, of which a worker that died may have left a part only.
            return [
                "cleanup.policy": "compact", "min.compaction.lag.ms": String(hour), "segment.ms": String(hour),
                "segment.bytes": String(16 << 20), "min.cleanable.dirty.ratio": "0.2",
            ]
        }
        // A chained ride's two trips share their driver's key: neither may be compacted away while it lasts.
        return ["cleanup.policy": "compact", "min.compaction.lag.ms": String(24 * hour)]
    }
}
