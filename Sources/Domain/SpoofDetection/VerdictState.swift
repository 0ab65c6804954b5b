import Support

/// State header of a verdict: changes of the partition's memories, then the driver's state.
package struct VerdictState: Equatable {
    /// Receipt times ahead of stream time that may end a silence.
    package struct Candidate: Equatable {
        package var newest: Timestamp
        /// Sum of the steps between these receipt times, in milliseconds.
        package var agreedMilliseconds: Int64

        package init(newest: Timestamp, agreedMilliseconds: Int64) {
            self.newest = newest
            self.agreedMilliseconds = agreedMilliseconds
        }
    }

    /// Receipt times ahead of stream time that were refuted by records near stream time.
    package struct Refutations: Equatable {
        package var at: Timestamp
        package var count: UInt8

        package init(at: Timestamp, count: UInt8) {
            self.at = at
            self.count = count
        }
    }

    /// Hash of the track chunk that the fix adds to the partition's memory.
    package var chunk: UInt64?
    /// Anomaly of the driver that the fix adds to the partition's memory.
    package var anomaly: Anomaly?
    /// Receipt times ahead of stream time since the last receipt time near stream time.
    package var candidate: Candidate?
    /// Refutations in the partition, if this record caused one.
    package var refutations: Refutations?
    /// Whether the fix was rejected because its receipt time is unknown; the state is then unchanged.
    package var isUnknownReceipt = false
    /// Whether the fix was evaluated with a receipt time to which stream time did not advance.
    package var isAhead = false

    package init(
        chunk: UInt64? = nil, anomaly: Anomaly? = nil, candidate: Candidate? = nil, refutations: Refutations? = nil,
        isUnknownReceipt: Bool = false, isAhead: Bool = false
    ) {
        (self.chunk, self.anomaly, self.candidate, self.refutations) = (chunk, anomaly, candidate, refutations)
        (self.isUnknownReceipt, self.isAhead) = (isUnknownReceipt, isAhead)
    }

    private static let maximumByteCount = 128
    /// The bits of the first byte that this release uses; newer releases may set other bits.
    private static let kinds: UInt8 = 63

    package func write(_ state: DriverState, into writer: inout ByteWriter) {
        var copy = self
        writer.append(atMost: Self.maximumByteCount + DriverState.maximumEncodedByteCount) { buffer in
            var coder = StateWriter(buffer, atMost: Self.maximumByteCount)
            copy.code(with: &coder)
            return coder.count + state.encode(into: UnsafeMutableRawBufferPointer(rebasing: buffer[coder.count...]))
        }
    }

    /// Returns the reason why the version of a header or its state is unreadable; `nil` if it is readable.
    package static func problem(of header: ByteSlice) -> StateProblem? {
        guard let kind = header.buffer.first else { return nil }
        if kind > kinds { return .newer(version: kind, readable: kinds) }
        return split(header).state.buffer.first.flatMap { DriverState.versions.problem(of: $0) }
    }

    /// Splits a header into state and extras; the state is empty if the header is invalid.
    package static func split(_ bytes: ByteSlice) -> (state: ByteSlice, extras: VerdictState) {
        var extras = VerdictState()
        guard let kind = bytes.buffer.first, kind <= kinds else { return (.empty, extras) }
        var reader = StateReader(bytes.buffer)
        extras.code(with: &reader)
        guard let rest = reader.rest else { return (.empty, extras) }
        return (ByteSlice(rest), extras)
    }

    /// Codes the layout: flags (1 byte), then the members that are present, as numbers of full width.
    private mutating func code<Coder: StateCoder>(with coder: inout Coder) {
        let flags = coder.beginFlags(UInt8.self)
        let start = Timestamp(milliseconds: 0)
        coder.code(&chunk, bit: 0, initial: 0) { $1.code(plain: &$0) }
        coder.code(&anomaly, bit: 1, initial: Anomaly(at: start)) { anomaly, coder in
            coder.code(plain: &anomaly.at.milliseconds)
            coder.code(plain: &anomaly.since.milliseconds)
            coder.code(plain: &anomaly.origin)
            coder.code(plain: &anomaly.destination)
            coder.code(plain: &anomaly.recentEvidence)
            coder.code(plain: &anomaly.olderEvidence)
            guard Coder.isReading else { return }
            // Ignores damaged evidence.
            anomaly.recentEvidence = anomaly.recentEvidence.isFinite ? max(0, anomaly.recentEvidence) : 0
            anomaly.olderEvidence = anomaly.olderEvidence.isFinite ? max(0, anomaly.olderEvidence) : 0
        }
        coder.code(&candidate, bit: 2, initial: Candidate(newest: start, agreedMilliseconds: 0)) { candidate, coder in
            coder.code(plain: &candidate.newest.milliseconds)
            coder.code(plain: &candidate.agreedMilliseconds)
            guard Coder.isReading else { return }
            // Limits both values to readable times, so that damaged headers cause no overflow.
            candidate.newest = candidate.newest.readable
            candidate.agreedMilliseconds = Timestamp(milliseconds: candidate.agreedMilliseconds).readable.milliseconds
        }
        coder.code(&isUnknownReceipt, bit: 3)
        coder.code(&isAhead, bit: 4)
        coder.code(&refutations, bit: 5, initial: Refutations(at: start, count: 0)) { refutations, coder in
            coder.code(plain: &refutations.at.milliseconds)
            coder.code(plain: &refutations.count)
            if Coder.isReading { refutations.at = refutations.at.readable }
        }
        coder.endFlags(flags)
    }
}
