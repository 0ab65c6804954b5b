/// The topics of the pipeline; all have the same number of partitions.
package enum PipelineTopic: String, CaseIterable, Sendable {
    /// Raw device locations, one record per fix or batch upload; the only input from drivers.
    case rawLocations = "driver.locations.raw"
    /// One verdict per fix; changelog of location-worker.
    case locations = "driver.locations"
    /// Unreadable raw records, unchanged.
    case locationsDeadLetter = "driver.locations.dead-letter"
    /// Warnings about drivers' fixes: start, change of action and end.
    case warnings = "driver.warnings"
    /// Hashes of driven tracks, to detect replayed tracks.
    case tracks = "driver.tracks"
    /// Trip messages of the trip service and the drivers' apps; compacted.
    case trips = "trips"
    /// Unreadable or rejected trip messages, and rider updates whose push notification failed; unchanged.
    case tripsDeadLetter = "trips.dead-letter"
    /// Arrival times; changelog of eta-worker.
    case tripEtas = "trip.etas"
    /// Starts and ends of trip warnings, such as a route deviation.
    case tripWarnings = "trip.warnings"
    /// Checkpoints of learned road speeds; compacted.
    case roadSpeeds = "road.speeds"
    /// Rider updates; changelog of broadcast-worker.
    case riderUpdates = "rider.updates"

    package var isDeadLetter: Bool { self == .locationsDeadLetter || self == .tripsDeadLetter }

    /// Maximum record size of a dead-letter topic in bytes: twice a broker's default, to have room for error headers.
    private static let deadLetterBytes = 2 << 20
    /// Maximum bytes of key, value and the input's headers in a dead letter; a larger dead letter omits the headers.
    package static let deadLetterInputBytes = deadLetterBytes - (32 << 10)

    /// Whether records come from outside the pipeline, so that their timestamps may be wrong.
    package var isInput: Bool { self == .rawLocations || self == .trips }

    /// Maximum lead of an input record's timestamp over the broker's clock, in milliseconds: Kafka's default.
    private static let inputAheadMilliseconds: Int64 = 3_600_000

    /// Retention in hours; `nil` for a compacted topic.
    package var retentionHours: Int? {
        switch self {
        // Derived topics must not expire before the raw topic, see ``retainedTooShort(_:)``.
        case .rawLocations, .locations, .tracks, .tripEtas, .riderUpdates: 3 * 24
        case .locationsDeadLetter, .warnings, .tripsDeadLetter, .tripWarnings: 14 * 24
        case .trips, .roadSpeeds: nil
        }
    }

    /// Returns the topics with a shorter retention than the raw locations.
    ///
    /// A restarted worker derives from records of these topics which raw records it has processed. `retention`: the
    /// effective `retention.ms` of each topic, -1 for no limit; compacted and unknown topics are absent.
    package static func retainedTooShort(_ retention: [PipelineTopic: Int64]) -> [PipelineTopic] {
        guard let raw = retention[.rawLocations] else { return [] }
        return allCases.filter { topic in
            guard let limit = retention[topic], topic != .rawLocations, topic.retentionHours != nil, limit >= 0 else {
                return false
            }
            return raw < 0 || limit < raw
        }
    }

    package static let retentionSetting = "retention.ms"

    /// Returns the settings that `sightline topics create` applies; `minimumInSync` replicas must store a record.
    package func brokerSettings(minimumInSync: Int) -> [String: String] {
        var settings = retentionSettings
        settings["min.insync.replicas"] = String(minimumInSync)
        // Limits input topics only, because workers copy timestamps, and an output that the broker rejects would block
        // its partition.
        settings[Self.timestampBound] = String(isInput ? Self.inputAheadMilliseconds : Int64.max)
        return settings
    }

    /// Broker setting, since Kafka 3.6: maximum lead of a record's timestamp over the broker's clock.
    package static let timestampBound = "message.timestamp.after.max.ms"

    /// Returns the default `min.insync.replicas`: 2 from three replicas on, to survive a broker's loss.
    package static func minimumInSync(replication: Int) -> Int { replication >= 3 ? 2 : 1 }

    private var retentionSettings: [String: String] {
        guard let retentionHours else { return compactedSettings }
        var settings = ["cleanup.policy": "delete", Self.retentionSetting: String(retentionHours * 3_600_000)]
        if isDeadLetter { settings["max.message.bytes"] = String(Self.deadLetterBytes) }
        return settings
    }

    private var compactedSettings: [String: String] {
        let hour = 3_600_000
        if self == .roadSpeeds {
            // Small, because every restore reads the whole topic; the compaction lag keeps the checkpoint before the
            // last one, because a crashed worker may have written the last one incompletely.
            return [
                "cleanup.policy": "compact", "min.compaction.lag.ms": String(hour), "segment.ms": String(hour),
                "segment.bytes": String(16 << 20), "min.cleanable.dirty.ratio": "0.2",
            ]
        }
        // The two trips of a chained ride share the driver's key, so compaction must not remove one during the ride.
        return ["cleanup.policy": "compact", "min.compaction.lag.ms": String(24 * hour)]
    }
}
