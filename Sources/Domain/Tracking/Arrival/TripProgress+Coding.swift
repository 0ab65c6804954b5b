/// Layout: version (1 byte), plan fingerprint (8), flags (4), then the fields in the order of
/// ``encode(into:planFingerprint:)``, optional ones only where their flag is set. Times are variable-length distances
/// from the time of the record. A ride takes about 150 bytes, a run over 40 stops under 1 KB.
extension TripProgress {
    private static let codingVersion: UInt8 = 2
    /// More stops than this are not read back: no trip has them, damaged bytes may.
    private static let stopLimit = 4096

    private struct Flags: OptionSet {
        let rawValue: UInt32
        static let version = Flags(rawValue: 1 << 0)
        static let position = Flags(rawValue: 1 << 1)
        static let heading = Flags(rawValue: 1 << 2)
        static let occupancy = Flags(rawValue: 1 << 3)
        static let along = Flags(rawValue: 1 << 4)
        static let distance = Flags(rawValue: 1 << 5)
        static let offRoute = Flags(rawValue: 1 << 6)
        static let candidate = Flags(rawValue: 1 << 7)
        static let counts = Flags(rawValue: 1 << 8)
        static let atStop = Flags(rawValue: 1 << 9)
        static let closest = Flags(rawValue: 1 << 10)
        static let slow = Flags(rawValue: 1 << 11)
        static let near = Flags(rawValue: 1 << 12)
        static let arrived = Flags(rawValue: 1 << 13)
        static let preceding = Flags(rawValue: 1 << 14)
        static let expected = Flags(rawValue: 1 << 15)
        static let expectedAt = Flags(rawValue: 1 << 16)
        static let recordedHalted = Flags(rawValue: 1 << 17)
        static let recordedStale = Flags(rawValue: 1 << 18)
        static let recordedAvailable = Flags(rawValue: 1 << 19)
        static let spreads = Flags(rawValue: 1 << 20)
        static let probes = Flags(rawValue: 1 << 21)

        mutating func set(_ flag: Flags, if condition: Bool) { if condition { insert(flag) } }
    }

    private var flags: Flags {
        var flags: Flags = []
        flags.set(.version, if: version != nil)
        flags.set(.position, if: position != nil)
        flags.set(.heading, if: position?.headingDegrees != nil)
        flags.set(.occupancy, if: occupancyPercent != nil)
        flags.set(.along, if: match.alongMeters != nil)
        flags.set(.distance, if: match.distanceMeters != nil)
        flags.set(.offRoute, if: match.isOffRoute)
        flags.set(.candidate, if: match.candidateMeters != nil)
        flags.set(.counts, if: match.offRouteFixes > 0 || match.backwardFixes > 0 || match.candidateFixes > 0)
        flags.set(.atStop, if: atStop != nil)
        flags.set(.closest, if: closestMeters != nil)
        flags.set(.slow, if: slowSince != nil)
        flags.set(.near, if: arrival.nearSince != nil)
        flags.set(.arrived, if: arrival.hasArrived)
        flags.set(.preceding, if: preceding != nil)
        flags.set(.expected, if: !expectedSeconds.isEmpty)
        flags.set(.expectedAt, if: expectedAt != nil)
        flags.set(.recordedHalted, if: recordedHalted)
        flags.set(.recordedStale, if: recordedStale)
        flags.set(.recordedAvailable, if: recordedAvailable)
        flags.set(.spreads, if: !spreads.isEmpty)
        flags.set(.probes, if: !probes.isEmpty)
        return flags
    }

    /// What ``encode(into:planFingerprint:)`` writes at most.
    var maximumEncodedByteCount: Int {
        // All that is not in a list takes under 320 bytes.
        384 + stops.count * (1 + 4 * ByteStateWriter.maximumCompactCount) + expectedSeconds.count * 4
            + spreads.count * 12 + probes.count * (4 + 2 * ByteStateWriter.maximumCompactCount)
    }

    func encode(into writer: inout ByteStateWriter, planFingerprint: UInt64) {
        writer.append(Self.codingVersion)
        writer.append(littleEndian: planFingerprint)
        writer.append(littleEndian: flags.rawValue)
        writer.append(recordedAt)
        writer.append(state.rawValue)
        if let version { writer.append(compact: version) }
        writer.append(stateChangedAt, since: recordedAt)
        writer.append(positionConfidence.rawValue)
        if let occupancyPercent { writer.append(compact: Int64(occupancyPercent)) }
        if let position { encode(position, into: &writer) }
        encodeMatch(into: &writer)
        writer.append(pace.actualSeconds)
        writer.append(pace.expectedSeconds)
        writer.append(pace.plannedSeconds)
        writer.append(drivenMeters)
        writer.append(snappedMeters)
        if let atStop { writer.append(compact: Int64(atStop)) }
        if let closestMeters { writer.append(closestMeters) }
        if let slowSince { writer.append(slowSince, since: recordedAt) }
        if let nearSince = arrival.nearSince { writer.append(nearSince, since: recordedAt) }
        if let preceding {
            writer.append(preceding.coordinate)
            writer.append(preceding.arrivesAt, since: recordedAt)
            writer.append(preceding.metersLeft)
        }
        if let expectedAt { writer.append(expectedAt, since: recordedAt) }
        writer.append(compact: Int64(stops.count))
        writer.append(compact: Int64(nextStop))
        for stop in stops { encode(stop, into: &writer) }
        for seconds in expectedSeconds { writer.append(seconds) }
        if !spreads.isEmpty { encodeSpreads(into: &writer) }
        if !probes.isEmpty { encodeProbes(into: &writer) }
    }

    private func encodeSpreads(into writer: inout ByteStateWriter) {
        writer.append(UInt8(truncatingIfNeeded: spreads.count))
        for spread in spreads {
            writer.append(spread.low)
            writer.append(spread.middle)
            writer.append(spread.high)
        }
    }

    private func encodeProbes(into writer: inout ByteStateWriter) {
        writer.append(UInt8(truncatingIfNeeded: probes.count))
        for probe in probes {
            writer.append(compact: Int64(probe.stop))
            writer.append(probe.etaSeconds)
            writer.append(probe.arrivesAt, since: recordedAt)
        }
    }

    private func encode(_ position: TripEta.Position, into writer: inout ByteStateWriter) {
        writer.append(position.coordinate)
        if let heading = position.headingDegrees { writer.append(heading) }
        writer.append(position.speedMetersPerSecond)
        writer.append(position.accuracyMeters)
        writer.append(position.fixedAt, since: recordedAt)
    }

    private func encodeMatch(into writer: inout ByteStateWriter) {
        if let along = match.alongMeters { writer.append(along) }
        writer.append(match.matchedAt, since: recordedAt)
        if let distance = match.distanceMeters { writer.append(distance) }
        if match.offRouteFixes > 0 || match.backwardFixes > 0 || match.candidateFixes > 0 {
            writer.append(match.offRouteFixes)
            writer.append(match.backwardFixes)
            writer.append(match.candidateFixes)
        }
        if let candidate = match.candidateMeters { writer.append(candidate) }
        writer.append(match.candidateAt, since: recordedAt)
    }

    private func encode(_ stop: Stop, into writer: inout ByteStateWriter) {
        var marks = stop.delay.rawValue
        if stop.passedAt != nil { marks |= 1 << 2 }
        if stop.promisedAt != nil { marks |= 1 << 3 }
        if stop.delayChangedAt != nil { marks |= 1 << 4 }
        if stop.toldAt != nil { marks |= 1 << 5 }
        writer.append(marks)
        if let passedAt = stop.passedAt { writer.append(passedAt, since: recordedAt) }
        if let promisedAt = stop.promisedAt { writer.append(promisedAt, since: recordedAt) }
        if let changedAt = stop.delayChangedAt { writer.append(changedAt, since: recordedAt) }
        if let toldAt = stop.toldAt { writer.append(toldAt, since: recordedAt) }
    }

    /// What was encoded; `nil` for damaged bytes, another version, or another plan.
    init?(_ bytes: UnsafeRawBufferPointer, plan: TripPlan) {
        var reader = ByteStateReader(bytes)
        guard reader.integer(UInt8.self) == Self.codingVersion, reader.integer(UInt64.self) == plan.fingerprint else {
            return nil
        }
        let flags = Flags(rawValue: reader.integer())
        let base = reader.timestamp()
        guard let state = TripState(rawValue: reader.integer()) else { return nil }
        self.init(state: state, version: nil, stopCount: 0, at: base)
        if flags.contains(.version) { version = reader.compact() }
        stateChangedAt = reader.timestamp(since: base)
        guard let confidence = Confidence(rawValue: reader.integer()) else { return nil }
        positionConfidence = confidence
        if flags.contains(.occupancy) { occupancyPercent = Int(reader.compact()) }
        if flags.contains(.position) { position = Self.position(&reader, flags, base) }
        match = Self.match(&reader, flags, base)
        pace = RecentPace(
            actualSeconds: reader.double(), expectedSeconds: reader.double(), plannedSeconds: reader.double())
        drivenMeters = reader.double()
        snappedMeters = reader.double()
        decodeRare(&reader, flags, base)
        let count = Int(reader.compact())
        let next = Int(reader.compact())
        guard reader.isIntact, count == plan.stops.count, count <= Self.stopLimit, (0...count).contains(next),
            atStop.map({ (0..<count).contains($0) }) ?? true
        else { return nil }
        nextStop = next
        for _ in 0..<count {
            guard let stop = Self.stop(&reader, base) else { return nil }
            stops.append(stop)
        }
        if flags.contains(.expected) { for _ in 0..<count { expectedSeconds.append(reader.float()) } }
        guard decodeLearning(&reader, flags, base) else { return nil }
        recordedHalted = flags.contains(.recordedHalted)
        recordedStale = flags.contains(.recordedStale)
        recordedAvailable = flags.contains(.recordedAvailable)
        guard reader.isAtEnd else { return nil }
    }

    /// `false` when what stands there cannot have been encoded.
    private mutating func decodeLearning(
        _ reader: inout ByteStateReader, _ flags: Flags, _ base: Timestamp
    ) -> Bool {
        if flags.contains(.spreads) {
            for _ in 0..<reader.integer(UInt8.self) {
                spreads.append(
                    LearnedSpread(low: reader.float(), middle: reader.float(), high: reader.float()))
            }
        }
        if flags.contains(.probes) {
            for _ in 0..<reader.integer(UInt8.self) {
                let stop = reader.compact()
                guard stops.indices.contains(Int(truncatingIfNeeded: stop)) else { return false }
                probes.append(
                    ArrivalProbe(
                        stop: Int(stop), etaSeconds: reader.float(), arrivesAt: reader.timestamp(since: base)))
            }
        }
        return reader.isIntact
    }

    private mutating func decodeRare(
        _ reader: inout ByteStateReader, _ flags: Flags, _ base: Timestamp
    ) {
        if flags.contains(.atStop) { atStop = Int(reader.compact()) }
        if flags.contains(.closest) { closestMeters = reader.double() }
        if flags.contains(.slow) { slowSince = reader.timestamp(since: base) }
        if flags.contains(.near) { arrival.nearSince = reader.timestamp(since: base) }
        arrival.hasArrived = flags.contains(.arrived)
        if flags.contains(.preceding) {
            preceding = Preceding(
                coordinate: reader.coordinate(), arrivesAt: reader.timestamp(since: base), metersLeft: reader.double())
        }
        if flags.contains(.expectedAt) { expectedAt = reader.timestamp(since: base) }
    }

    private static func position(
        _ reader: inout ByteStateReader, _ flags: Flags, _ base: Timestamp
    ) -> TripEta.Position {
        let coordinate = reader.coordinate()
        let heading = flags.contains(.heading) ? reader.double() : nil
        return TripEta.Position(
            coordinate: coordinate, headingDegrees: heading, speedMetersPerSecond: reader.double(),
            accuracyMeters: reader.double(), fixedAt: reader.timestamp(since: base))
    }

    private static func match(_ reader: inout ByteStateReader, _ flags: Flags, _ base: Timestamp) -> RouteMatch {
        var match = RouteMatch()
        if flags.contains(.along) { match.alongMeters = reader.double() }
        match.matchedAt = reader.timestamp(since: base)
        if flags.contains(.distance) { match.distanceMeters = reader.double() }
        match.isOffRoute = flags.contains(.offRoute)
        if flags.contains(.counts) {
            match.offRouteFixes = reader.integer()
            match.backwardFixes = reader.integer()
            match.candidateFixes = reader.integer()
        }
        if flags.contains(.candidate) { match.candidateMeters = reader.double() }
        match.candidateAt = reader.timestamp(since: base)
        return match
    }

    private static func stop(_ reader: inout ByteStateReader, _ base: Timestamp) -> Stop? {
        let marks: UInt8 = reader.integer()
        guard reader.isIntact, marks < 1 << 6, let delay = TripEta.Delay(rawValue: marks & 3) else {
            return nil
        }
        var stop = Stop()
        stop.delay = delay
        if marks & 1 << 2 != 0 { stop.passedAt = reader.timestamp(since: base) }
        if marks & 1 << 3 != 0 { stop.promisedAt = reader.timestamp(since: base) }
        if marks & 1 << 4 != 0 { stop.delayChangedAt = reader.timestamp(since: base) }
        if marks & 1 << 5 != 0 { stop.toldAt = reader.timestamp(since: base) }
        return stop
    }
}
