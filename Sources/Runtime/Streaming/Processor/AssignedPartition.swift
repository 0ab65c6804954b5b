import Kafka
import Processing
import Support

/// A partition while it is assigned to this process: its ``PartitionProcessor``, deferred records and unacknowledged
/// outputs.
final class AssignedPartition {
    let processor: PartitionProcessor
    /// Records of replayed inputs, deferred until the other inputs reach their time.
    private var deferred: [KafkaMessage]
    private var firstDeferred = 0
    private let isReplayed: [Bool]
    /// Whether the current end of an input was reached, by input.
    private var isAtEnd: [Bool]
    /// Whether all inputs that are not replayed were at their ends simultaneously, since the assignment.
    private(set) var isCaughtUp = false
    /// Read time of the last record that advanced stream time.
    private var newestSeen = ContinuousClock.now
    /// Stream time at ``newestSeen``.
    private var newest: Timestamp?
    private var lastRead = ContinuousClock.now
    /// Positions last passed to ``inFlight``, by input.
    private var recordedPositions: [Int64]
    /// Whether the current batch contains records of the partition.
    var isTouched = false
    /// Number of checked records whose key belongs to another partition.
    var misplacedKeys = 0
    var inFlight = InFlightRecords()
    /// Number of the current batch in ``inFlight``; `nil` before its first output.
    private var batch: Int?
    /// Positions of the next records to fetch, by input.
    private(set) var nextFetched: [KafkaPosition]
    /// Start of the wait of a parked partition's oldest output; `nil` if the partition is not parked.
    ///
    /// A parked partition is paused: no records are processed until its outputs are acknowledged.
    private(set) var parkedSince: ContinuousClock.Instant?
    /// Unsent outputs of a parked partition, in order.
    var parkedOutputs: [ParkedOutput] = []
    /// The offset after the last acknowledged record of the changelog.
    private(set) var changelogEnd: Int64

    /// Creates the partition from a restored processor.
    ///
    /// `deferred`: in offset order per input; ownership is transferred. `starts`: first position to read, by input.
    /// `changelogEnd`: the offset after the changelog's last record.
    init(
        processor: PartitionProcessor, layout: ProcessorLayout, deferred: [KafkaMessage], starts: [KafkaPosition],
        changelogEnd: Int64
    ) {
        self.changelogEnd = changelogEnd
        self.processor = processor
        self.deferred = deferred
        nextFetched = starts
        isReplayed = layout.inputs.map { $0.resume == .replayed }
        isAtEnd = Array(repeating: false, count: processor.positions.count)
        recordedPositions = processor.positions
    }

    deinit { for index in firstDeferred..<deferred.count { deferred[index].destroy() } }

    var number: Int32 { processor.partition }

    var hasDeferred: Bool { firstDeferred < deferred.count }

    /// Removes and returns the first deferred record that is due; the caller destroys it.
    ///
    /// `time`: the time of the record to process next; if `nil`, every deferred record is due.
    func popDeferred(upTo time: Timestamp?) -> KafkaMessage? {
        guard firstDeferred < deferred.count else { return nil }
        let message = deferred[firstDeferred]
        if let time, message.timestamp > time { return nil }
        firstDeferred += 1
        if firstDeferred == deferred.count {
            deferred = []
            firstDeferred = 0
        }
        return message
    }

    /// Returns whether a record of `input` must wait for older records of the other inputs.
    ///
    /// Up to `limit` records of replayed inputs wait during a backlog of other inputs, to take effect in time order.
    func mustDefer(input: Int, limit: Int) -> Bool {
        !isCaughtUp && isReplayed[input] && deferred.count - firstDeferred < limit
    }

    /// Defers a record until ``popDeferred(upTo:)``.
    func addDeferred(_ message: KafkaMessage) { deferred.append(message) }

    /// Returns the limit for ``popDeferred(upTo:)`` before a record of `input` is processed.
    func deferralLimit(before time: Timestamp, input: Int) -> Timestamp? { isReplayed[input] ? nil : time }

    /// Advances the fetch position after the record at `offset` was processed or deferred.
    func markRead(input: Int, offset: Int64) {
        isAtEnd[input] = false
        nextFetched[input] = .offset(offset + 1)
    }

    func markEnd(input: Int) {
        isAtEnd[input] = true
        if zip(isAtEnd, isReplayed).allSatisfy({ $0 || $1 }) { isCaughtUp = true }
    }

    /// Sets the read time of the records processed next, for ``silentTime(at:graceMilliseconds:)``.
    func beginRead(at instant: ContinuousClock.Instant) {
        updateNewest()
        lastRead = instant
    }

    /// Updates ``newest`` and ``newestSeen`` if the last records have advanced stream time.
    private func updateNewest() {
        guard processor.time.newest != newest else { return }
        newest = processor.time.newest
        newestSeen = lastRead
    }

    /// Whether all inputs were read to their end, so that no records are waiting.
    var isSilent: Bool { isAtEnd.allSatisfy { $0 } }

    /// Returns stream time plus the time since it last advanced, minus the grace; `nil` before the first record.
    func silentTime(at now: ContinuousClock.Instant, graceMilliseconds: Int64) -> Timestamp? {
        updateNewest()
        guard let newest else { return nil }
        return Timestamp(
            milliseconds: newest.milliseconds + newestSeen.duration(to: now).wholeMilliseconds - graceMilliseconds)
    }
}

// Outputs in flight.
extension AssignedPartition {
    /// Records the offset of an acknowledged changelog record.
    /// - Returns: the number of earlier acknowledged records that were lost.
    func recordChangelogWrite(offset: Int64) -> Int64 {
        let lost = max(0, changelogEnd - offset)
        changelogEnd = offset + 1
        return lost
    }

    var isParked: Bool { parkedSince != nil }

    /// Outputs that are unacknowledged or unsent.
    var undeliveredCount: Int { inFlight.outstanding + parkedOutputs.count }

    /// Returns the age of the oldest unacknowledged output; 0 if all are acknowledged.
    func unacknowledgedAge(at now: ContinuousClock.Instant) -> Duration {
        (parkedSince ?? inFlight.waitingSince).map { $0.duration(to: now) } ?? .zero
    }

    /// Returns the number of the current batch in ``inFlight``; opens a batch if no batch is open.
    @inline(__always)
    func currentBatch() -> Int {
        if let batch { return batch }
        let opened = inFlight.open()
        batch = opened
        return opened
    }

    /// Closes the current batch; its offsets are released when its outputs are acknowledged.
    ///
    /// The offsets of a parked partition are added by ``unpark()``, because more of its outputs are to be sent.
    func closeBatch() {
        if isTouched, !isParked {
            for (input, position) in processor.positions.enumerated() where position > recordedPositions[input] {
                recordedPositions[input] = position
                let progress = InFlightRecords.Progress(input: input, partition: number, next: position)
                inFlight.add(progress, to: currentBatch())
            }
        }
        isTouched = false
        guard let open = batch else { return }
        inFlight.close(open)
        batch = nil
    }

    func park(since: ContinuousClock.Instant) {
        parkedSince = since
        // Records that arrive while the partition is parked are discarded, so the recorded ends are outdated.
        for input in isAtEnd.indices { isAtEnd[input] = false }
    }

    /// Ends parking after everything was acknowledged.
    func unpark() {
        parkedSince = nil
        isTouched = true
        closeBatch()
    }
}

/// The end of a partition's changelog, committed as metadata of the input offsets.
///
/// A changelog that ends before its committed end has lost acknowledged records, for example by an unclean leader
/// election. In this case, the committed input offsets must not be used.
enum ChangelogEnd {
    private static let prefix = "changelog-end="

    static func metadata(_ end: Int64) -> String { prefix + String(end) }

    /// Parses ``metadata(_:)``; `nil` for metadata of other programs.
    static func parse(_ metadata: String) -> Int64? {
        guard metadata.hasPrefix(prefix) else { return nil }
        return Int64(metadata.dropFirst(prefix.count))
    }
}
