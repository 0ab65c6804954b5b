import Kafka
import Processing
import Support

/// A partition while this process holds it.
final class AssignedPartition {
    let core: PartitionProcessor
    /// Records of replayed inputs that were there before the partition was assigned, waiting for their time to come.
    private var held: [KafkaMessage]
    private var firstHeld = 0
    private let isReplayed: [Bool]
    /// Per input, whether it has been read to its end for now.
    private var isAtEnd: [Bool]
    /// Whether the inputs that are not replayed have been at their end since the partition was assigned.
    private(set) var isCaughtUp = false
    /// When the record was read that moved stream time last, for stream time in silence.
    private var newestSeen = ContinuousClock.now
    /// Stream time as of ``newestSeen``.
    private var newest: Timestamp?
    private var lastRead = ContinuousClock.now
    /// Per input, the position that the ledger knows.
    private var notedPositions: [Int64]
    /// Whether the batch at hand has touched the partition.
    var isTouched = false
    /// Records noticed that belong to another partition by their key.
    var misplacedKeys = 0
    /// Which of its outputs are acknowledged.
    var ledger = InFlightRecords()
    /// The ticket under which the outputs of the batch at hand are sent; `nil` before the first.
    private var ticket: Int?
    /// Per input, where the next record is to be fetched from.
    private(set) var nextFetched: [KafkaPosition]
    /// Since when its oldest output has waited, while the partition is parked; `nil` while it is worked on.
    ///
    /// A parked partition is paused: its records are not processed before its outputs are acknowledged.
    private(set) var parkedSince: ContinuousClock.Instant?
    /// Outputs of a parked partition that are not sent yet, in the order in which they are to be sent.
    private(set) var parkedOutputs: [ParkedOutput] = []

    /// The offset after the last record of the changelog that is acknowledged.
    private(set) var changelogEnd: Int64

    /// Takes over a restored task.
    ///
    /// `held`: taken over; in offset order per input. `starts`: where each input is read from. `changelogEnd`: the
    /// offset after the changelog's last record.
    init(
        core: PartitionProcessor, layout: ProcessorLayout, held: [KafkaMessage], starts: [KafkaPosition],
        changelogEnd: Int64
    ) {
        self.changelogEnd = changelogEnd
        self.core = core
        self.held = held
        nextFetched = starts
        isReplayed = layout.inputs.map { input in
            if case .replayed = input.resume { true } else { false }
        }
        isAtEnd = Array(repeating: false, count: core.positions.count)
        notedPositions = core.positions
    }

    deinit { for index in firstHeld..<held.count { held[index].destroy() } }

    var hasHeld: Bool { firstHeld < held.count }

    /// Takes the first held record if its time has come; the caller destroys it.
    ///
    /// `time`: the time of the record that is about to be processed; `nil` when there is no other.
    func takeHeld(upTo time: Timestamp?) -> KafkaMessage? {
        guard firstHeld < held.count else { return nil }
        let message = held[firstHeld]
        if let time, message.timestamp > time { return nil }
        firstHeld += 1
        if firstHeld == held.count {
            held = []
            firstHeld = 0
        }
        return message
    }

    /// Whether a record of `input` has to wait for older records of the other inputs.
    ///
    /// While a backlog of the other inputs is worked off, what a replayed input says takes effect at its own time.
    func mustHold(input: Int, limit: Int) -> Bool { !isCaughtUp && isReplayed[input] && held.count - firstHeld < limit }

    /// Keeps a record until ``takeHeld(upTo:)``.
    func hold(_ message: KafkaMessage) { held.append(message) }

    /// How far ``takeHeld(upTo:)`` has to be emptied before a record of `input` with this time is processed.
    func holdingLimit(before time: Timestamp, input: Int) -> Timestamp? { isReplayed[input] ? nil : time }

    /// Notes that the record at `offset` was processed or held.
    func noteRecord(input: Int, offset: Int64) {
        isAtEnd[input] = false
        nextFetched[input] = .offset(offset + 1)
    }

    func noteEnd(input: Int) {
        isAtEnd[input] = true
        if zip(isAtEnd, isReplayed).allSatisfy({ $0 || $1 }) { isCaughtUp = true }
    }

    /// Notes when the records at hand were read: stream time counts from there if they move it.
    func noteRead(at instant: ContinuousClock.Instant) {
        settleNewest()
        lastRead = instant
    }

    /// Counts stream time from the records that moved it last; those behind it let no time pass.
    private func settleNewest() {
        guard core.time.newest != newest else { return }
        newest = core.time.newest
        newestSeen = lastRead
    }

    /// Whether every input has been read to its end: silence is silence then, and not a backlog that is late.
    var isSilent: Bool { isAtEnd.allSatisfy { $0 } }

    /// Stream time in silence; `nil` before the first record.
    func silentTime(at now: ContinuousClock.Instant, graceMilliseconds: Int64) -> Timestamp? {
        settleNewest()
        guard let newest else { return nil }
        return Timestamp(
            milliseconds: newest.milliseconds + newestSeen.duration(to: now).wholeMilliseconds - graceMilliseconds)
    }

    /// The positions that moved since the last call.
    func takeProgress(_ body: (InFlightRecords.Progress) -> Void) {
        for (input, position) in core.positions.enumerated() where position > notedPositions[input] {
            notedPositions[input] = position
            body(InFlightRecords.Progress(input: input, partition: core.partition, next: position))
        }
    }
}

// The outputs on their way.
extension AssignedPartition {
    /// Notes where a record of the changelog was written.
    /// - Returns: how many records before it were acknowledged and are not there any more.
    func noteChangelog(offset: Int64) -> Int64 {
        let lost = max(0, changelogEnd - offset)
        changelogEnd = offset + 1
        return lost
    }

    var isParked: Bool { parkedSince != nil }

    /// Whether outputs are not acknowledged, or not even sent.
    var hasUndelivered: Bool { ledger.outstanding > 0 || !parkedOutputs.isEmpty }

    /// How long the oldest output has waited for its acknowledgement.
    func unacknowledgedAge(at now: ContinuousClock.Instant) -> Duration {
        (parkedSince ?? ledger.waitingSince).map { $0.duration(to: now) } ?? .zero
    }

    /// The ticket for the outputs of the batch at hand.
    @inline(__always)
    func openTicket() -> Int {
        if let ticket { return ticket }
        let opened = ledger.open()
        ticket = opened
        return opened
    }

    /// Ends the batch at hand, and has its offsets given out once its outputs are acknowledged.
    ///
    /// Those of a parked partition are noted at its end, as more of its outputs are to be sent.
    func closeTicket() {
        if isTouched, !isParked { takeProgress { ledger.note($0, for: openTicket()) } }
        isTouched = false
        guard let open = ticket else { return }
        ledger.close(open)
        ticket = nil
    }

    /// Has the partition wait for its outputs.
    func park(since: ContinuousClock.Instant) {
        parkedSince = since
        // What comes meanwhile is thrown away, so that no end that was seen is one.
        for input in isAtEnd.indices { isAtEnd[input] = false }
    }

    func keep(_ output: ParkedOutput) { parkedOutputs.append(output) }

    /// Forgets the first `count` parked outputs, which were sent.
    func dropParked(_ count: Int) { parkedOutputs.removeFirst(count) }

    /// Ends the wait: everything is acknowledged.
    func unpark() {
        parkedSince = nil
        isTouched = true
        closeTicket()
    }
}
