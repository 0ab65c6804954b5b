import Support

/// Layout: version (1 byte), flags (2), then the fields as listed, optional ones if their flag is set.
extension BroadcastState {
    /// See ``StateVersions`` before changing the layout.
    package static let versions = StateVersions(current: 1, previous: 1)
    /// Maximum stops of a readable state, to detect damaged bytes.
    private static let stopLimit = 4096

    /// Maximum bytes that ``encode(into:)`` writes for the current state.
    package var maximumEncodedByteCount: Int {
        StateWriter.headByteCount + StateWriter.maximumByteCount(of: BroadcastState.self)
            + StateWriter.maximumByteCount(of: Stop.self, count: stops.count)
            + (detectedArrivalStopID?.utf8.count ?? 0) + (routeID?.utf8.count ?? 0)
    }

    /// Encodes the state and returns the number of bytes; `buffer` must have ``maximumEncodedByteCount`` bytes.
    package func encode(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        var copy = self
        var writer = StateWriter(buffer, atMost: maximumEncodedByteCount)
        copy.code(with: &writer)
        return writer.count
    }

    /// Decodes a state; `nil` for damaged bytes or an unsupported version.
    package init?(_ bytes: UnsafeRawBufferPointer) {
        self.init()
        var reader = StateReader(bytes)
        code(with: &reader)
        guard reader.hasReadAll else { return nil }
    }

    private mutating func code<Coder: StateCoder>(with coder: inout Coder) {
        coder.code(Self.versions)
        let flags = coder.beginFlags(UInt16.self)
        var base = fixedAt ?? etaAt ?? locationDueAt ?? Timestamp(milliseconds: 0)
        coder.code(&base)
        coder.code(&hasEnded, bit: 0)
        coder.code(&tripState, bit: 1, initial: .requested) { $1.code(&$0) }
        coder.code(&locationDueAt, near: base, bit: 2)
        coder.code(&fixedAt, near: base, bit: 3)
        coder.code(&sentFixedAt, near: base, bit: 8)
        coder.code(&isSilent, bit: 9)
        coder.code(&isStale, bit: 4)
        intervals.code(with: &coder)
        coder.code(&etaAt, near: base, bit: 5)
        coder.code(&isEtaStale, bit: 10)
        coder.code(&traffic)
        var count = stops.count
        coder.code(compact: &count)
        coder.require((0...Self.stopLimit).contains(count))
        coder.code(&stops, count: count, initial: Stop()) { $0.code(with: &$1, near: base) }
        coder.code(&detectedArrivalStopID, bit: 6, initial: "") { $1.code(&$0) }
        if coder.flag(notifiedStop != nil && notifiedArrivesAt != nil, bit: 7) {
            var stop = notifiedStop ?? 0
            var arrivesAt = notifiedArrivesAt ?? base
            coder.code(compact: &stop)
            coder.code(&arrivesAt, near: base)
            (notifiedStop, notifiedArrivesAt) = (stop, arrivesAt)
        }
        coder.code(&driverHash, bit: 11, initial: 0) { $1.code(&$0) }
        coder.code(&stage, bit: 12, initial: .driverEnRoute) { $1.code(&$0) }
        coder.code(&factsHash, bit: 13, initial: 0) { $1.code(&$0) }
        coder.code(&hasSentOccupancy, bit: 14)
        coder.code(&routeID, bit: 15, initial: "") { $1.code(&$0) }
        coder.endFlags(flags)
    }
}

extension BroadcastState.Stop {
    /// Codes a byte with status (2 bits), delay (2), confidence (2; value 3 for none) and two flags, then the arrival.
    fileprivate mutating func code<Coder: StateCoder>(with coder: inout Coder, near base: Timestamp) {
        let flags = coder.beginFlags(UInt8.self)
        coder.code(&status, bits: 0)
        coder.code(&delay, bits: 2)
        confidence = Confidence(rawValue: coder.flag(confidence?.rawValue ?? 3, bit: 4, width: 2))
        coder.code(&arrivesAt, near: base, bit: 6)
        coder.code(&awaitsConfirmation, bit: 7)
        coder.endFlags(flags)
    }
}
