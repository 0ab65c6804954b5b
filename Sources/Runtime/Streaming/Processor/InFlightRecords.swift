/// Unacknowledged outputs of a partition, tracked so that input offsets are released in order and never too early.
///
/// Each output belongs to a batch. ``release(_:)`` passes on the offsets of a batch when all outputs of it *and of all
/// earlier batches* are acknowledged.
struct InFlightRecords {
    /// Progress of a batch in an input partition.
    struct Progress: Equatable {
        var input: Int
        var partition: Int32
        /// The offset of the next record to process.
        var next: Int64
    }

    private struct Entry {
        var outstanding = 0
        /// Bytes of the outputs since ``outstanding`` was 0.
        var byteCount = 0
        /// Production time of the oldest output that may be outstanding.
        var since = ContinuousClock.now
        var isClosed = false
        var progress: [Progress] = []
    }

    /// Ring buffer; batch `n` is at `n` modulo the size, which is a power of two.
    private var entries = [Entry](repeating: Entry(), count: 64)
    private var first = 0
    private var end = 0
    /// Unacknowledged outputs of all batches.
    private(set) var outstanding = 0
    /// Bytes of unacknowledged outputs, and of acknowledged ones of the same batches.
    private(set) var outstandingBytes = 0

    /// Whether all batches were released.
    var isEmpty: Bool { first == end }

    /// Start of the wait of the oldest unacknowledged batch; `nil` if all are acknowledged.
    var waitingSince: ContinuousClock.Instant? {
        guard outstanding > 0 else { return nil }
        var batch = first
        while entries[slot(batch)].outstanding == 0 { batch += 1 }
        return entries[slot(batch)].since
    }

    /// Opens a batch; the previous one must be closed.
    /// - Returns: the batch's number.
    mutating func open() -> Int {
        if end - first == entries.count { grow() }
        let batch = end
        end += 1
        entries[slot(batch)].outstanding = 0
        entries[slot(batch)].byteCount = 0
        entries[slot(batch)].isClosed = false
        entries[slot(batch)].progress.removeAll(keepingCapacity: true)
        return batch
    }

    /// Counts an output of `batch` that awaits its acknowledgement.
    @inline(__always)
    mutating func expect(_ batch: Int, byteCount: Int = 0, at now: @autoclosure () -> ContinuousClock.Instant = .now) {
        // A batch is sent in steps; outputs of a later step have not waited as long as those of an earlier one.
        if entries[slot(batch)].outstanding == 0 { entries[slot(batch)].since = now() }
        entries[slot(batch)].outstanding += 1
        entries[slot(batch)].byteCount += byteCount
        outstanding += 1
        outstandingBytes += byteCount
    }

    /// Adds an offset to release with `batch`.
    mutating func add(_ progress: Progress, to batch: Int) { entries[slot(batch)].progress.append(progress) }

    mutating func close(_ batch: Int) { entries[slot(batch)].isClosed = true }

    /// Counts the acknowledgement of an output of `batch`.
    /// - Returns: the decrease of ``outstandingBytes``; a batch's bytes are freed together.
    @inline(__always)
    @discardableResult
    mutating func acknowledge(_ batch: Int) -> Int {
        precondition(
            batch >= first && batch < end, "An output was acknowledged twice, or after its batch was released.")
        entries[slot(batch)].outstanding -= 1
        outstanding -= 1
        guard entries[slot(batch)].outstanding == 0 else { return 0 }
        let freed = entries[slot(batch)].byteCount
        entries[slot(batch)].byteCount = 0
        outstandingBytes -= freed
        return freed
    }

    /// Passes on the progress of complete batches, oldest first, up to the first incomplete one.
    mutating func release(_ body: (Progress) -> Void) {
        while first < end, entries[slot(first)].isClosed, entries[slot(first)].outstanding == 0 {
            entries[slot(first)].progress.forEach(body)
            first += 1
        }
    }

    @inline(__always)
    private func slot(_ batch: Int) -> Int { batch & (entries.count - 1) }

    private mutating func grow() {
        var larger = [Entry](repeating: Entry(), count: entries.count * 2)
        for batch in first..<end { larger[batch & (larger.count - 1)] = entries[slot(batch)] }
        entries = larger
    }
}

/// Identification of an output's batch in its delivery report.
struct DeliveryToken: Equatable {
    var partition: Int32
    /// Number in the partition's ``InFlightRecords``: 0 to 2^40 - 1, which lasts 34 years at a thousand batches per
    /// second.
    var batch: Int
    /// Whether the output goes to the changelog.
    var isChangelog: Bool

    private static let batchBits = 40
}

extension DeliveryToken {
    @inline(__always)
    init(raw: Int) {
        partition = Int32(truncatingIfNeeded: raw >> (Self.batchBits + 1))
        isChangelog = raw >> Self.batchBits & 1 == 1
        batch = raw & (1 << Self.batchBits - 1)
    }

    /// The token as one number, for the client library.
    @inline(__always)
    var raw: Int { Int(partition) << (Self.batchBits + 1) | (isChangelog ? 1 << Self.batchBits : 0) | batch }
}

/// Limit on the unacknowledged outputs of all partitions that are not parked.
///
/// Parked partitions are not counted, because their outputs may stay unacknowledged for long and would block the
/// other partitions.
struct InFlightLimit {
    let maximumRecords: Int
    let maximumBytes: Int
    private(set) var records = 0
    private(set) var bytes = 0

    @inline(__always)
    var hasRoom: Bool { records < maximumRecords && bytes < maximumBytes }

    @inline(__always)
    mutating func add(records: Int, bytes: Int) {
        self.records += records
        self.bytes += bytes
    }

    @inline(__always)
    mutating func remove(records: Int, bytes: Int) {
        self.records -= records
        self.bytes -= bytes
    }

    mutating func removeAll() { (records, bytes) = (0, 0) }
}
