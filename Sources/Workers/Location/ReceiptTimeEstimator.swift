import SpoofDetection
import Support

/// Follows the receipts of a partition's records: drivers are forgotten, and derived records dated, by it.
///
/// A receipt within a tenth of the memory of stream time is followed. One that is farther ahead has two causes that look
/// alike in one record: the partition was silent, or the producer's clock is wrong. Such a receipt is used for its own
/// fix at once, and stream time waits until it is certain:
///
/// 1. It is followed at once up to half of the memory, and beyond that where no other driver would be forgotten, unless
///    its device says that the fix was taken earlier.
/// 2. Otherwise receipts that continue for a tenth of the memory by their own time, with no record near stream time
///    between them, confirm a silence.
/// 3. A record near stream time refutes them. After two refutations within the memory a producer's clock is known to be
///    wrong: devices then date what it sends, and what no device dates is not judged.
///
/// Deterministic: it depends on the records alone, and a second call with the last record changes nothing.
struct ReceiptTimeEstimator: Equatable {
    typealias Candidate = VerdictState.Candidate
    typealias Refutations = VerdictState.Refutations

    /// When a record was received, as far as its partition knows.
    enum Receipt: Equatable {
        /// Not ahead of stream time, which has followed it where it was.
        case followed(Timestamp)
        /// The record's own timestamp, which stream time has not followed yet.
        case ahead(Timestamp)
        /// Not known: the producer's clock is wrong, and the device says nothing else.
        case unknown
    }

    /// The newest receipt that was followed; `nil` before the first.
    private(set) var newest: Timestamp?
    /// `nil` while records near stream time come.
    private(set) var candidate: Candidate?
    /// `nil` before the first refutation; of no effect after the memory.
    private(set) var refutations: Refutations?

    private let memoryMilliseconds: Int64

    /// How far ahead of the true time brokers allow a timestamp (`message.timestamp.after.max.ms`).
    private static let maximumLeadOfFirstMilliseconds: Int64 = 3_600_000
    /// A device time that is farther from its receipt is no evidence: its clock is not set.
    private static let maximumAgeMilliseconds: Int64 = 86_400_000

    /// `memorySeconds`: silence after which a driver is forgotten.
    init(memorySeconds: Double) { memoryMilliseconds = Int64(memorySeconds * 1000) }

    /// Half of the memory: a step of that length forgets no driver that sent in the other half.
    private var stepMilliseconds: Int64 { memoryMilliseconds / 2 }
    /// A tenth of the memory, 30 s unless it was set otherwise.
    private var confirmationMilliseconds: Int64 { memoryMilliseconds / 10 }
    /// How far a receipt may be from stream time, and a device from its receipt, without a doubt.
    private var leadMilliseconds: Int64 { memoryMilliseconds / 10 }

    /// Stream time, or the beginning of time where there is none.
    var now: Timestamp { newest ?? Timestamp(milliseconds: .min) }

    /// Restores what the changelog says; `refutations`: those that the record made, `nil` for none.
    mutating func restore(_ time: Timestamp, candidate: Candidate?, refutations: Refutations?) {
        newest = max(newest ?? time, time)
        self.candidate = candidate
        if let refutations { self.refutations = refutations }
    }

    /// The refutations, if the newest record that stream time followed made one.
    var newRefutations: Refutations? { refutations?.at == newest ? refutations : nil }

    /// Dates a record, and moves stream time where it follows the record.
    /// - Parameters:
    ///   - stamp: the record's own timestamp.
    ///   - device: when its newest fix was taken, by the device.
    ///   - forgetsOthers: whether at a time some driver other than the record's own is forgotten who is not yet.
    /// - Returns: when it was received, as far as the partition knows.
    @inline(__always)
    mutating func receipt(
        stamped stamp: Timestamp, device: @autoclosure () -> Timestamp?, forgetsOthers: (Timestamp) -> Bool
    ) -> Receipt {
        guard let newest else { return begin(stamped: stamp, device: device()) }
        let ahead = stamp.milliseconds - newest.milliseconds
        guard abs(ahead) > leadMilliseconds else { return follow(stamp, newest) }
        let device = evidence(device(), stamp, newest)
        if ahead < 0 { return receiptBehind(stamp, device, newest) }
        if isClockWrong(at: newest) { return receiptOfWrongClock(stamp, device, newest, forgetsOthers) }
        return receiptAhead(stamp, device, newest, forgetsOthers)
    }

    // MARK: Cases

    /// Dates the first record of a partition: by its device if that says that the fix was taken earlier.
    ///
    /// Whether the fix was stored or the stamp is wrong, later records tell. Until then stream time is the earlier.
    private mutating func begin(stamped stamp: Timestamp, device: Timestamp?) -> Receipt {
        guard let device, (leadMilliseconds + 1...Self.maximumAgeMilliseconds).contains(stamp - device) else {
            newest = stamp
            return .followed(stamp)
        }
        newest = max(
            device, Timestamp(milliseconds: stamp.milliseconds &- Self.maximumLeadOfFirstMilliseconds))
        candidate = Candidate(newest: stamp, agreedMilliseconds: 0)
        return .ahead(stamp)
    }

    /// Dates a record near stream time, or up to a step ahead of it.
    @inline(__always)
    private mutating func follow(_ stamp: Timestamp, _ newest: Timestamp) -> Receipt {
        if candidate != nil { decideCandidate(by: stamp, newest) }
        self.newest = max(newest, stamp)
        return .followed(stamp)
    }

    private mutating func receiptBehind(_ stamp: Timestamp, _ device: Timestamp?, _ newest: Timestamp) -> Receipt {
        if newest - stamp <= stepMilliseconds { candidate = nil }
        guard let device, contradicts(device, stamp, near: newest) else { return .followed(stamp) }
        return .followed(min(device, newest))
    }

    private mutating func receiptAhead(
        _ stamp: Timestamp, _ device: Timestamp?, _ newest: Timestamp, _ forgetsOthers: (Timestamp) -> Bool
    ) -> Receipt {
        // A fix stored while the partition was silent, or a producer whose clock is ahead.
        let isOlder = device.map { stamp - $0 > leadMilliseconds } ?? false
        let isNow = device.map { contradicts($0, stamp, near: newest) } ?? false
        if stamp - newest <= stepMilliseconds, !isNow { return follow(stamp, newest) }
        // Not decided by a second look: others may be forgotten by now.
        if candidate?.newest == stamp { return .ahead(stamp) }
        guard (!isOlder && !forgetsOthers(stamp)) || isConfirmed(stamp) else {
            return .ahead(stamp)
        }
        candidate = nil
        self.newest = stamp
        return .followed(stamp)
    }

    /// Dates a record ahead of stream time in a partition with a producer whose clock is wrong.
    private mutating func receiptOfWrongClock(
        _ stamp: Timestamp, _ device: Timestamp?, _ newest: Timestamp, _ forgetsOthers: (Timestamp) -> Bool
    ) -> Receipt {
        var claim = stamp
        if let device, contradicts(device, stamp, near: newest) || stamp - device > stepMilliseconds {
            claim = max(device, newest)
            if claim - newest <= stepMilliseconds {
                // The next record near stream time refutes it, too.
                if candidate == nil { candidate = Candidate(newest: stamp, agreedMilliseconds: 0) }
                self.newest = claim
                return .followed(claim)
            }
        }
        if claim - newest <= stepMilliseconds { return follow(claim, newest) }
        guard !forgetsOthers(claim) || continues(claim) else { return .unknown }
        candidate = nil
        self.newest = claim
        return .followed(claim)
    }

    // MARK: Evidence

    /// The device's time, if its clock can be right.
    private func evidence(_ device: Timestamp?, _ stamp: Timestamp, _ newest: Timestamp) -> Timestamp? {
        device.flatMap { device in
            abs(stamp - device) <= Self.maximumAgeMilliseconds || abs(device - newest) <= leadMilliseconds
                ? device : nil
        }
    }

    /// Whether a device says that it is stream time now, and its record's stamp something else.
    ///
    /// A device that says anything else is no evidence against the stamp: its fix may be old, or its clock wrong.
    private func contradicts(_ device: Timestamp, _ stamp: Timestamp, near newest: Timestamp) -> Bool {
        abs(device - newest) <= leadMilliseconds && abs(stamp - device) > leadMilliseconds
    }

    private func isClockWrong(at newest: Timestamp) -> Bool {
        refutations.map { $0.count >= 2 && newest - $0.at <= memoryMilliseconds } ?? false
    }

    /// Ends the receipts ahead; a record that is not behind stream time, and far before them, refutes them.
    private mutating func decideCandidate(by stamp: Timestamp, _ newest: Timestamp) {
        guard let refuted = candidate?.newest else { return }
        candidate = nil
        guard newest - stamp <= leadMilliseconds, refuted - stamp > leadMilliseconds else { return }
        var found = refutations ?? Refutations(at: newest, count: 0)
        if newest - found.at > memoryMilliseconds { found.count = 0 }
        found.count = min(2, found.count + 1)
        found.at = max(newest, stamp)
        refutations = found
    }

    /// Counts a receipt ahead, and answers whether such receipts have continued for long enough.
    ///
    /// Where two of them are farther apart than the memory, stream time follows the earlier one: of two silences the
    /// first is certain.
    private mutating func isConfirmed(_ claim: Timestamp) -> Bool {
        if let found = candidate, claim - found.newest > memoryMilliseconds {
            newest = found.newest
            candidate = Candidate(newest: claim, agreedMilliseconds: 0)
            return false
        }
        return continues(claim)
    }

    /// Counts a receipt ahead, and answers whether such receipts have gone on for a tenth of the memory.
    private mutating func continues(_ claim: Timestamp) -> Bool {
        guard var found = candidate else {
            candidate = Candidate(newest: claim, agreedMilliseconds: 0)
            return false
        }
        let step = claim - found.newest
        if step < -stepMilliseconds {
            // Nearer to stream time than those before: the likelier end of a silence.
            found = Candidate(newest: claim, agreedMilliseconds: 0)
        } else if step > 0 {
            found.newest = claim
            if step <= memoryMilliseconds { found.agreedMilliseconds += step }
        }
        candidate = found
        return found.agreedMilliseconds >= confirmationMilliseconds
    }
}

extension Timestamp {
    /// Milliseconds from `earlier` to `later`.
    fileprivate static func - (later: Timestamp, earlier: Timestamp) -> Int64 {
        later.milliseconds &- earlier.milliseconds
    }
}
