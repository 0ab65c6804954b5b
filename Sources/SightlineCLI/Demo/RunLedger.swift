import Pipeline
import Simulation
import Tracking

/// Everything that was seen of a run, as far as its report needs it.
///
/// Fed from the topics in the order in which their records are read; knows no clock and no client. A record whose event
/// does not advance its partition's clock was written before: it is counted in ``repeated`` and otherwise ignored, as
/// every reader of the pipeline does.
struct RunLedger: Sendable {
    /// A topic that the pipeline itself writes.
    enum Derived: Hashable, Sendable {
        case verdicts, deadLetters, warnings, etas, riderUpdates
    }

    let scope: RunScope

    private(set) var rawRecords = 0
    /// Fixes of raw records that can be read.
    private(set) var fixes = 0
    private(set) var tripMessages = 0
    private(set) var verdicts: [Verdict: Int] = [:]
    private(set) var deadLetters = 0
    private(set) var tripDeadLetters = 0
    private(set) var warnings = 0
    private(set) var etaRecords = 0
    /// Records of trip.etas that tell of a change of state.
    private(set) var tripChanges = 0
    private(set) var riderUpdates = 0
    /// Records of the pipeline's own topics whose event had been seen before.
    private(set) var repeated = 0
    /// Records of the pipeline's own topics that cannot be read.
    private(set) var unreadable = 0
    private(set) var outcomes = OutcomeBook()
    private(set) var drivers: Set<String> = []
    /// Drivers with a verdict that moves the live position.
    private(set) var acceptedDrivers: Set<String> = []
    private(set) var latency = LatencyHistogram()
    private(set) var earliest: Timestamp?
    var accuracy = AccuracyScore()
    var spoofing = SpoofingScore()
    var arrivals = ArrivalScore()

    private var clocks: [ClockKey: PartitionClock] = [:]
    private var receipts = ReceiptTimes()

    private struct ClockKey: Hashable {
        var topic: Derived
        var partition: Int32
    }

    init(scope: RunScope) { self.scope = scope }

    /// Verdicts of all kinds.
    var verdictCount: Int { verdicts.values.reduce(0, +) }

    // MARK: Inputs

    /// A raw record: `outcomes` are the verdicts and dead letters it is owed, `readable` how many of them are verdicts.
    mutating func noteRaw(
        partition: Int32, offset: Int64, at: Timestamp, driverID: String, outcomes owed: Int, readable: Int
    ) {
        rawRecords += 1
        fixes += readable
        if readable > 0 { drivers.insert(driverID) }
        earliest = min(earliest ?? at, at)
        outcomes.noteRaw(partition: partition, offset: offset, fixes: owed)
        for seenAt in receipts.note(partition: partition, offset: offset, at: at) {
            latency.note(milliseconds: seenAt.milliseconds - at.milliseconds)
        }
    }

    mutating func noteTripMessage(at: Timestamp) {
        tripMessages += 1
        earliest = min(earliest ?? at, at)
    }

    // MARK: Outputs

    /// A verdict as it stands on its topic.
    struct SeenVerdict: Sendable {
        var event: EventID
        var driverID: String
        var sessionID: String
        var sequence: Int64?
        var verdict: Verdict
        var reasons: Reasons
        var reported: Coordinate
        var estimate: Coordinate?
        var receivedAt: Timestamp
    }

    mutating func note(_ seen: SeenVerdict) {
        guard isNew(seen.event, in: .verdicts) else { return }
        verdicts[seen.verdict, default: 0] += 1
        outcomes.noteOutcome(of: seen.event)
        if seen.verdict == .accepted { acceptedDrivers.insert(seen.driverID) }
        accuracy.note(seen)
        if seen.verdict == .rejected {
            spoofing.noteRejection(of: seen.driverID, reasons: seen.reasons, at: seen.receivedAt)
        }
    }

    mutating func noteDeadLetter(event: EventID) {
        guard isNew(event, in: .deadLetters) else { return }
        deadLetters += 1
        outcomes.noteOutcome(of: event)
    }

    mutating func noteTripDeadLetter() { tripDeadLetters += 1 }

    mutating func noteWarning(event: EventID, driverID: String, reason: Reasons, at: Timestamp) {
        guard isNew(event, in: .warnings) else { return }
        warnings += 1
        spoofing.noteWarning(of: driverID, reason: reason, at: at)
    }

    mutating func note(_ eta: TripEta, event: EventID) {
        guard isNew(event, in: .etas) else { return }
        etaRecords += 1
        if eta.change != nil { tripChanges += 1 }
        arrivals.note(eta)
    }

    /// An update for riders, read at `seenAt` by the wall clock.
    ///
    /// Its latency counts when a raw record made it, not when a punctuation or a trip message did.
    mutating func noteRiderUpdate(event: EventID, seenAt: Timestamp) {
        guard isNew(event, in: .riderUpdates) else { return }
        riderUpdates += 1
        guard event.origin == .raw, event.punctuation == 0 else { return }
        if let receivedAt = receipts.time(partition: event.partition, offset: event.offset, elseWaitFrom: seenAt) {
            latency.note(milliseconds: seenAt.milliseconds - receivedAt.milliseconds)
        }
    }

    mutating func noteUnreadable() { unreadable += 1 }

    private mutating func isNew(_ event: EventID, in topic: Derived) -> Bool {
        guard scope.contains(event) else { return false }
        guard clocks[ClockKey(topic: topic, partition: event.partition), default: PartitionClock()].advance(to: event)
        else {
            repeated += 1
            return false
        }
        return true
    }
}
