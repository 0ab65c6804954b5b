import Domain
import Support

/// Derives the stream time of a partition from the timestamps of its records.
///
/// Stream time decides when drivers are evicted, and dates derived records. It advances to record timestamps up to a
/// tenth of the memory ahead of it. A timestamp farther ahead means either that the partition was silent or that the
/// producer's clock is wrong, which one record cannot show. Such a timestamp is used for its own fix at once, and stream
/// time follows by these rules:
///
/// 1. It advances at once by up to half of the memory, and further if no other driver would be evicted, unless the
///    device time shows that the fix is older.
/// 2. Otherwise a silence is confirmed by timestamps ahead that span a tenth of the memory, with no record near stream
///    time between them.
/// 3. A record near stream time refutes them. After two refutations within the memory, the producer's clock counts as
///    wrong: its records are dated by their devices, and those without a usable device time are rejected.
///
/// Deterministic: the result depends on the records only, and processing the last record again changes nothing.
struct ReceiptTimeEstimator: Equatable {
    typealias Candidate = VerdictState.Candidate
    typealias Refutations = VerdictState.Refutations

    enum Receipt: Equatable {
        /// Not ahead of stream time, which has advanced to it if necessary.
        case followed(Timestamp)
        /// The record's own timestamp, to which stream time has not advanced yet.
        case ahead(Timestamp)
        /// The producer's clock is wrong and there is no usable device time.
        case unknown
    }

    /// The newest timestamp that stream time advanced to; `nil` before the first.
    private(set) var newest: Timestamp?
    /// Timestamps ahead that may end a silence; `nil` while records are near stream time.
    private(set) var candidate: Candidate?
    /// `nil` before the first refutation; without effect once older than the memory.
    private(set) var refutations: Refutations?

    private let memoryMilliseconds: Int64

    /// How far ahead of the true time brokers allow a timestamp (`message.timestamp.after.max.ms`).
    private static let maximumLeadOfFirstMilliseconds: Int64 = 3_600_000
    /// Device times farther from the record's timestamp are ignored: the device clock is not set.
    private static let maximumAgeMilliseconds: Int64 = 86_400_000

    /// `memorySeconds`: silence after which a driver is evicted.
    init(memorySeconds: Double) { memoryMilliseconds = Int64(memorySeconds * 1000) }

    /// Half of the memory: a step of this length evicts no driver that sent within the other half.
    private var stepMilliseconds: Int64 { memoryMilliseconds / 2 }
    /// Span of timestamps ahead that confirms a silence: a tenth of the memory, 30 s by default.
    private var confirmationMilliseconds: Int64 { memoryMilliseconds / 10 }
    /// Tolerated difference between a timestamp and stream time, and between device time and timestamp.
    private var leadMilliseconds: Int64 { memoryMilliseconds / 10 }

    /// Stream time; the minimum timestamp before the first record.
    var now: Timestamp { newest ?? Timestamp(milliseconds: .min) }

    /// Applies the stream time and the extras of a changelog record; `refutations` is `nil` if it made none.
    mutating func restore(_ time: Timestamp, candidate: Candidate?, refutations: Refutations?) {
        newest = max(newest ?? time, time)
        self.candidate = candidate
        if let refutations { self.refutations = refutations }
    }

    /// The refutations, if the record that advanced stream time last made one.
    var newRefutations: Refutations? { refutations?.at == newest ? refutations : nil }

    /// Estimates the receipt time of a record, and advances stream time to it where that is plausible.
    ///
    /// `device` is the device time of its newest fix. `wouldEvictOthers`: whether advancing to a time evicts another
    /// driver.
    @inline(__always) mutating func receipt(
        of timestamp: Timestamp, device: @autoclosure () -> Timestamp?, wouldEvictOthers: (Timestamp) -> Bool
    ) -> Receipt {
        guard let newest else { return begin(at: timestamp, device: device()) }
        let ahead = timestamp.milliseconds - newest.milliseconds
        guard abs(ahead) > leadMilliseconds else { return follow(timestamp, newest) }
        let device = plausible(device(), timestamp, newest)
        if ahead < 0 { return receiptBehind(timestamp, device, newest) }
        if isClockWrong(at: newest) { return receiptOfWrongClock(timestamp, device, newest, wouldEvictOthers) }
        return receiptAhead(timestamp, device, newest, wouldEvictOthers)
    }

    // MARK: Cases

    /// Starts stream time at the first record's time, or at its older device time.
    ///
    /// Later records show which of the two is right.
    private mutating func begin(at timestamp: Timestamp, device: Timestamp?) -> Receipt {
        guard let device, (leadMilliseconds + 1...Self.maximumAgeMilliseconds).contains(timestamp - device) else {
            newest = timestamp
            return .followed(timestamp)
        }
        newest = max(device, Timestamp(milliseconds: timestamp.milliseconds &- Self.maximumLeadOfFirstMilliseconds))
        candidate = Candidate(newest: timestamp, agreedMilliseconds: 0)
        return .ahead(timestamp)
    }

    /// Advances stream time to a record near it, or up to one step ahead.
    @inline(__always) private mutating func follow(_ timestamp: Timestamp, _ newest: Timestamp) -> Receipt {
        if candidate != nil { resolveCandidate(by: timestamp, newest) }
        self.newest = max(newest, timestamp)
        return .followed(timestamp)
    }

    private mutating func receiptBehind(_ timestamp: Timestamp, _ device: Timestamp?, _ newest: Timestamp) -> Receipt {
        if newest - timestamp <= stepMilliseconds { candidate = nil }
        guard let device, contradicts(device, timestamp, near: newest) else { return .followed(timestamp) }
        return .followed(min(device, newest))
    }

    private mutating func receiptAhead(
        _ timestamp: Timestamp, _ device: Timestamp?, _ newest: Timestamp, _ wouldEvictOthers: (Timestamp) -> Bool
    ) -> Receipt {
        // A fix stored while the partition was silent, or a producer whose clock is ahead.
        let isOlder = device.map { timestamp - $0 > leadMilliseconds } ?? false
        let isNow = device.map { contradicts($0, timestamp, near: newest) } ?? false
        if timestamp - newest <= stepMilliseconds, !isNow { return follow(timestamp, newest) }
        // The last record again: other drivers may have been evicted since, which must not change the result.
        if candidate?.newest == timestamp { return .ahead(timestamp) }
        guard (!isOlder && !wouldEvictOthers(timestamp)) || isConfirmed(timestamp) else { return .ahead(timestamp) }
        candidate = nil
        self.newest = timestamp
        return .followed(timestamp)
    }

    /// Estimates the receipt time of a record ahead of stream time, after a producer's clock was found wrong.
    private mutating func receiptOfWrongClock(
        _ timestamp: Timestamp, _ device: Timestamp?, _ newest: Timestamp, _ wouldEvictOthers: (Timestamp) -> Bool
    ) -> Receipt {
        var claim = timestamp
        if let device, contradicts(device, timestamp, near: newest) || timestamp - device > stepMilliseconds {
            claim = max(device, newest)
            if claim - newest <= stepMilliseconds {
                // Lets the next record near stream time refute this one as well.
                if candidate == nil { candidate = Candidate(newest: timestamp, agreedMilliseconds: 0) }
                self.newest = claim
                return .followed(claim)
            }
        }
        if claim - newest <= stepMilliseconds { return follow(claim, newest) }
        guard !wouldEvictOthers(claim) || extendCandidate(to: claim) else { return .unknown }
        candidate = nil
        self.newest = claim
        return .followed(claim)
    }

    // MARK: Evidence

    /// Returns the device time if its clock may be right.
    private func plausible(_ device: Timestamp?, _ timestamp: Timestamp, _ newest: Timestamp) -> Timestamp? {
        device.flatMap { device in
            abs(timestamp - device) <= Self.maximumAgeMilliseconds || abs(device - newest) <= leadMilliseconds
                ? device : nil
        }
    }

    /// Whether the device time is near stream time and the record's timestamp is not.
    private func contradicts(_ device: Timestamp, _ timestamp: Timestamp, near newest: Timestamp) -> Bool {
        abs(device - newest) <= leadMilliseconds && abs(timestamp - device) > leadMilliseconds
    }

    private func isClockWrong(at newest: Timestamp) -> Bool {
        refutations.map { $0.count >= 2 && newest - $0.at <= memoryMilliseconds } ?? false
    }

    /// Discards the candidate; a record near stream time and far before the candidate also refutes it.
    private mutating func resolveCandidate(by timestamp: Timestamp, _ newest: Timestamp) {
        guard let refuted = candidate?.newest else { return }
        candidate = nil
        guard newest - timestamp <= leadMilliseconds, refuted - timestamp > leadMilliseconds else { return }
        var found = refutations ?? Refutations(at: newest, count: 0)
        if newest - found.at > memoryMilliseconds { found.count = 0 }
        found.count = min(2, found.count + 1)
        found.at = max(newest, timestamp)
        refutations = found
    }

    /// Adds a timestamp to the candidate; returns whether the candidate now confirms a silence.
    ///
    /// If it is farther than the memory from the one before, the first of two silences is certain.
    private mutating func isConfirmed(_ claim: Timestamp) -> Bool {
        if let found = candidate, claim - found.newest > memoryMilliseconds {
            newest = found.newest
            candidate = Candidate(newest: claim, agreedMilliseconds: 0)
            return false
        }
        return extendCandidate(to: claim)
    }

    /// Adds a timestamp to the candidate; returns whether the candidate spans the confirmation time.
    private mutating func extendCandidate(to claim: Timestamp) -> Bool {
        guard var found = candidate else {
            candidate = Candidate(newest: claim, agreedMilliseconds: 0)
            return false
        }
        let step = claim - found.newest
        if step < -stepMilliseconds {
            // Nearer to stream time than the earlier ones, hence the likelier end of a silence.
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
    fileprivate static func - (later: Timestamp, earlier: Timestamp) -> Int64 {
        later.milliseconds &- earlier.milliseconds
    }
}
