import Bytes
import Kafka
import Pipeline
import Tracking

/// A partition while this process holds it.
final class RunningTask {
    let core: StageTask
    /// Records of replayed inputs that were there before the partition was assigned, waiting for their time to come.
    private var held: [KafkaMessage]
    private var firstHeld = 0
    private let isReplayed: [Bool]
    /// Per input, whether it has been read to its end for now.
    private var isAtEnd: [Bool]
    /// Whether the inputs that are not replayed have been at their end since the partition was assigned.
    private(set) var isCaughtUp = false
    /// When the newest record of the partition was seen, for stream time in silence.
    private var newestSeen = ContinuousClock.now
    /// Per input, the position that the ledger knows.
    private var notedPositions: [Int64]
    /// Whether the batch at hand has touched the partition.
    var isTouched = false

    /// Takes over a restored task.
    ///
    /// `held`: taken over; in offset order per input.
    init(core: StageTask, layout: StageLayout, held: [KafkaMessage]) {
        self.core = core
        self.held = held
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

    func noteRecord(input: Int) { isAtEnd[input] = false }

    func noteEnd(input: Int) {
        isAtEnd[input] = true
        if zip(isAtEnd, isReplayed).allSatisfy({ $0 || $1 }) { isCaughtUp = true }
    }

    func noteNewest(seen: ContinuousClock.Instant) { newestSeen = seen }

    /// Whether every input has been read to its end: silence is silence then, and not a backlog that is late.
    var isSilent: Bool { isAtEnd.allSatisfy { $0 } }

    /// Stream time in silence; `nil` before the first record.
    func silentTime(at now: ContinuousClock.Instant, graceMilliseconds: Int64) -> Timestamp? {
        guard let newest = core.time.newest else { return nil }
        return Timestamp(
            milliseconds: newest.milliseconds + newestSeen.duration(to: now).wholeMilliseconds - graceMilliseconds)
    }

    /// The positions that moved since the last call.
    func takeProgress(_ body: (DeliveryLedger.Progress) -> Void) {
        for (input, position) in core.positions.enumerated() where position > notedPositions[input] {
            notedPositions[input] = position
            body(DeliveryLedger.Progress(input: input, partition: core.partition, next: position))
        }
    }
}
