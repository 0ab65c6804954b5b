import Support

/// State header of a verdict: changes of the partition's memories, then the driver's state.
package struct VerdictState: Equatable {
    /// Receipts ahead of stream time that may end a silence.
    package struct Candidate: Equatable {
        package var newest: Timestamp
        /// Advance of these receipts among themselves, in milliseconds.
        package var agreedMilliseconds: Int64

        package init(newest: Timestamp, agreedMilliseconds: Int64) {
            self.newest = newest
            self.agreedMilliseconds = agreedMilliseconds
        }
    }

    /// Receipts ahead of stream time that were refuted by records near it.
    package struct Refutations: Equatable {
        /// Stream time of the last refutation.
        package var at: Timestamp
        package var count: UInt8

        package init(at: Timestamp, count: UInt8) {
            self.at = at
            self.count = count
        }
    }

    /// Chunk of track that the fix completed.
    package var chunk: UInt64?
    /// Anomaly of the driver that the partition now holds.
    package var anomaly: Anomaly?
    /// Receipts ahead of stream time since the last one near it.
    package var candidate: Candidate?
    /// Refutations in the partition, if the fix caused one.
    package var refutations: Refutations?
    /// Whether the fix was rejected for its receipt; the state is then unchanged.
    package var isRefusal = false
    /// Whether the fix was evaluated with a receipt that stream time did not follow.
    package var isAhead = false

    package init(
        chunk: UInt64? = nil, anomaly: Anomaly? = nil, candidate: Candidate? = nil, refutations: Refutations? = nil,
        isRefusal: Bool = false, isAhead: Bool = false
    ) {
        self.chunk = chunk
        self.anomaly = anomaly
        self.candidate = candidate
        self.refutations = refutations
        self.isRefusal = isRefusal
        self.isAhead = isAhead
    }

    private static let withChunk: UInt8 = 1
    private static let withAnomaly: UInt8 = 2
    private static let withCandidate: UInt8 = 4
    private static let refusal: UInt8 = 8
    private static let ahead: UInt8 = 16
    private static let withRefutations: UInt8 = 32
    private static let kinds = withChunk | withAnomaly | withCandidate | refusal | ahead | withRefutations
    private static let anomalyByteCount = 40
    private static let candidateByteCount = 16
    private static let refutationsByteCount = 9

    package func write(_ state: DriverState, as form: StateForm, into writer: inout ByteWriter) {
        // The previous release has neither of them.
        let refutations = form == .previous ? nil : refutations
        let isAhead = isAhead && form != .previous
        var kind = (chunk == nil ? 0 : Self.withChunk) | (anomaly == nil ? 0 : Self.withAnomaly)
        kind |= (candidate == nil ? 0 : Self.withCandidate) | (isRefusal ? Self.refusal : 0)
        kind |= (isAhead ? Self.ahead : 0) | (refutations == nil ? 0 : Self.withRefutations)
        writer.append(kind)
        if let chunk { writer.append(littleEndian: chunk) }
        if let anomaly { Self.write(anomaly, into: &writer) }
        if let candidate {
            writer.append(littleEndian: candidate.newest.milliseconds)
            writer.append(littleEndian: candidate.agreedMilliseconds)
        }
        if let refutations {
            writer.append(littleEndian: refutations.at.milliseconds)
            writer.append(refutations.count)
        }
        writer.append(atMost: DriverState.maximumEncodedByteCount) { state.encode(into: $0, as: form) }
    }

    /// Returns why a header or its state has an unreadable version; `nil` if it is readable.
    package static func problem(of header: ByteSlice) -> StateProblem? {
        guard let kind = header.buffer.first else { return nil }
        // Newer releases set additional bits.
        if kind > kinds { return .newer(version: kind, readable: kinds) }
        return split(header).state.buffer.first.flatMap { DriverState.versions.problem(of: $0) }
    }

    /// Splits a header into state and extras; the state is empty if the header is invalid.
    package static func split(_ bytes: ByteSlice) -> (state: ByteSlice, extras: VerdictState) {
        let buffer = bytes.buffer
        var extras = VerdictState()
        guard let kind = buffer.first, kind <= kinds else { return (.empty, extras) }
        extras.isRefusal = kind & refusal != 0
        extras.isAhead = kind & ahead != 0
        var start = 1
        if kind & withChunk != 0 {
            guard buffer.count >= start + 8 else { return (.empty, extras) }
            extras.chunk = UInt64(littleEndian: buffer.loadUnaligned(fromByteOffset: start, as: UInt64.self))
            start += 8
        }
        if kind & withAnomaly != 0 {
            guard buffer.count >= start + anomalyByteCount else { return (.empty, extras) }
            extras.anomaly = readAnomaly(UnsafeRawBufferPointer(rebasing: buffer[start...]))
            start += anomalyByteCount
        }
        if kind & withCandidate != 0 {
            guard buffer.count >= start + candidateByteCount else { return (.empty, extras) }
            func number(_ offset: Int) -> Int64 {
                Int64(littleEndian: buffer.loadUnaligned(fromByteOffset: offset, as: Int64.self))
            }
            // Limited to readable times, so that damaged headers cause no overflow.
            extras.candidate = Candidate(
                newest: Timestamp(milliseconds: number(start)).readable,
                agreedMilliseconds: Timestamp(milliseconds: number(start + 8)).readable.milliseconds)
            start += candidateByteCount
        }
        if kind & withRefutations != 0 {
            guard buffer.count >= start + refutationsByteCount else { return (.empty, extras) }
            let at = Int64(littleEndian: buffer.loadUnaligned(fromByteOffset: start, as: Int64.self))
            extras.refutations = Refutations(at: Timestamp(milliseconds: at).readable, count: buffer[start + 8])
            start += refutationsByteCount
        }
        return (ByteSlice(UnsafeRawBufferPointer(rebasing: buffer[start...])), extras)
    }

    private static func write(_ anomaly: Anomaly, into writer: inout ByteWriter) {
        writer.append(littleEndian: anomaly.at.milliseconds)
        writer.append(littleEndian: anomaly.since.milliseconds)
        for point in [anomaly.origin, anomaly.destination] {
            writer.append(littleEndian: point.latitude)
            writer.append(littleEndian: point.longitude)
        }
        writer.append(littleEndian: anomaly.recentEvidence.bitPattern)
        writer.append(littleEndian: anomaly.olderEvidence.bitPattern)
    }

    private static func readAnomaly(_ buffer: UnsafeRawBufferPointer) -> Anomaly {
        func number<Value: FixedWidthInteger & BitwiseCopyable>(_ offset: Int, as type: Value.Type) -> Value {
            Value(littleEndian: buffer.loadUnaligned(fromByteOffset: offset, as: type))
        }
        var anomaly = Anomaly(at: Timestamp(milliseconds: number(0, as: Int64.self)))
        anomaly.since = Timestamp(milliseconds: number(8, as: Int64.self))
        anomaly.origin.latitude = number(16, as: Int32.self)
        anomaly.origin.longitude = number(20, as: Int32.self)
        anomaly.destination.latitude = number(24, as: Int32.self)
        anomaly.destination.longitude = number(28, as: Int32.self)
        // Damaged evidence is ignored.
        let recent = Float(bitPattern: number(32, as: UInt32.self))
        let older = Float(bitPattern: number(36, as: UInt32.self))
        if recent >= 0, recent.isFinite { anomaly.recentEvidence = recent }
        if older >= 0, older.isFinite { anomaly.olderEvidence = older }
        return anomaly
    }
}
