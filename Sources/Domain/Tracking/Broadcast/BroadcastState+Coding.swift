/// Layout: version (1 byte), flags (2), then the fields in the order of ``encode(into:)``, optional ones only where
/// their flag is set. Times are variable-length distances from the latest of them. About 50 bytes for a ride.
extension BroadcastState {
    private static let codingVersion: UInt8 = 1
    private static let stopLimit = 4096

    private struct Flags: OptionSet {
        let rawValue: UInt16
        static let ended = Flags(rawValue: 1 << 0)
        static let tripState = Flags(rawValue: 1 << 1)
        static let locationDueAt = Flags(rawValue: 1 << 2)
        static let fixedAt = Flags(rawValue: 1 << 3)
        static let stale = Flags(rawValue: 1 << 4)
        static let etaAt = Flags(rawValue: 1 << 5)
        static let detected = Flags(rawValue: 1 << 6)
        static let notified = Flags(rawValue: 1 << 7)

        mutating func set(_ flag: Flags, if condition: Bool) { if condition { insert(flag) } }
    }

    private var flags: Flags {
        var flags: Flags = []
        flags.set(.ended, if: hasEnded)
        flags.set(.tripState, if: tripState != nil)
        flags.set(.locationDueAt, if: locationDueAt != nil)
        flags.set(.fixedAt, if: fixedAt != nil)
        flags.set(.stale, if: isStale)
        flags.set(.etaAt, if: etaAt != nil)
        flags.set(.detected, if: detectedArrivalStopID != nil)
        flags.set(.notified, if: notifiedStop != nil && notifiedArrivesAt != nil)
        return flags
    }

    /// What ``encode(into:)`` writes at most, for the state as it is.
    package var maximumEncodedByteCount: Int {
        // All but the stops and the text takes under 170 bytes.
        192 + stops.count * (1 + ByteStateWriter.maximumCompactCount) + (detectedArrivalStopID?.utf8.count ?? 0)
    }

    /// Writes the state and answers how many bytes that took.
    ///
    /// `room` holds at least ``maximumEncodedByteCount`` bytes.
    package func encode(into room: UnsafeMutableRawBufferPointer) -> Int {
        var writer = ByteStateWriter(room)
        let base = fixedAt ?? etaAt ?? locationDueAt ?? Timestamp(milliseconds: 0)
        writer.append(Self.codingVersion)
        writer.append(littleEndian: flags.rawValue)
        writer.append(base)
        if let tripState { writer.append(tripState.rawValue) }
        if let locationDueAt { writer.append(locationDueAt, since: base) }
        if let fixedAt { writer.append(fixedAt, since: base) }
        intervals.encode(into: &writer)
        if let etaAt { writer.append(etaAt, since: base) }
        writer.append(traffic.rawValue)
        writer.append(compact: Int64(stops.count))
        for stop in stops { Self.encode(stop, since: base, into: &writer) }
        if let detectedArrivalStopID { writer.append(detectedArrivalStopID) }
        if let notifiedStop, let notifiedArrivesAt {
            writer.append(compact: Int64(notifiedStop))
            writer.append(notifiedArrivesAt, since: base)
        }
        return writer.count
    }

    /// What was encoded; `nil` for damaged bytes or another version.
    package init?(_ bytes: UnsafeRawBufferPointer) {
        var reader = ByteStateReader(bytes)
        guard reader.integer(UInt8.self) == Self.codingVersion else { return nil }
        let flags = Flags(rawValue: reader.integer())
        let base = reader.timestamp()
        self.init()
        hasEnded = flags.contains(.ended)
        isStale = flags.contains(.stale)
        if flags.contains(.tripState) {
            guard let state = TripState(rawValue: reader.integer()) else { return nil }
            tripState = state
        }
        if flags.contains(.locationDueAt) { locationDueAt = reader.timestamp(since: base) }
        if flags.contains(.fixedAt) { fixedAt = reader.timestamp(since: base) }
        guard let ring = InlineIntervals(&reader) else { return nil }
        intervals = ring
        if flags.contains(.etaAt) { etaAt = reader.timestamp(since: base) }
        guard let traffic = TripEta.Traffic(rawValue: reader.integer()) else { return nil }
        self.traffic = traffic
        let count = reader.compact()
        guard reader.isIntact, (0...Int64(Self.stopLimit)).contains(count) else { return nil }
        for _ in 0..<count {
            guard let stop = Self.stop(&reader, since: base) else { return nil }
            stops.append(stop)
        }
        if flags.contains(.detected) { detectedArrivalStopID = reader.string() }
        if flags.contains(.notified) {
            notifiedStop = Int(reader.compact())
            notifiedArrivesAt = reader.timestamp(since: base)
        }
        guard reader.isAtEnd else { return nil }
    }

    /// One byte: status (2 bits), delay (2), confidence (2, 3 for none), has arrival, awaits confirmation.
    private static func encode(_ stop: Stop, since base: Timestamp, into writer: inout ByteStateWriter) {
        var marks = stop.status.rawValue | stop.delay.rawValue << 2 | (stop.confidence?.rawValue ?? 3) << 4
        if stop.arrivesAt != nil { marks |= 1 << 6 }
        if stop.awaitsConfirmation { marks |= 1 << 7 }
        writer.append(marks)
        if let arrivesAt = stop.arrivesAt { writer.append(arrivesAt, since: base) }
    }

    private static func stop(_ reader: inout ByteStateReader, since base: Timestamp) -> Stop? {
        let marks: UInt8 = reader.integer()
        guard reader.isIntact, let status = TripEta.StopStatus(rawValue: marks & 3),
            let delay = TripEta.Delay(rawValue: marks >> 2 & 3)
        else { return nil }
        var stop = Stop()
        stop.status = status
        stop.delay = delay
        stop.confidence = Confidence(rawValue: marks >> 4 & 3)
        stop.awaitsConfirmation = marks & 1 << 7 != 0
        if marks & 1 << 6 != 0 { stop.arrivesAt = reader.timestamp(since: base) }
        return stop
    }
}
