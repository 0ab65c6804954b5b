import Domain
import Support

/// Estimator of stream time and receipt times from the timestamps of a partition's records.
///
/// Stream time decides when drivers are evicted, and dates derived records. Here, the memory is `memorySeconds`, and
/// "near" means within a tenth of it. Timestamps near stream time advance it. A timestamp farther ahead means that the
/// partition was silent or that the producer's clock is wrong; one record cannot show which. The record's own fixes are
/// evaluated with it at once, and stream time follows by these rules:
///
/// 1. It advances at once by up to half of the memory, unless the device time is near stream time. It advances farther
///    if no other driver would be evicted, unless the fix is older by its device time.
/// 2. Otherwise it advances once timestamps ahead span a tenth of the memory, with no record near stream time between
///    them: they confirm a silence.
/// 3. A record near stream time refutes the timestamps ahead. After two refutations within the memory, the producer's
///    clock counts as wrong: records far ahead are dated by their devices, or rejected if the device time is unusable.
///
/// The result depends on the records only. Processing the last record again changes nothing.
struct ReceiptTimeEstimator: Equatable {
    typealias Candidate = VerdictState.Candidate
    typealias Refutations = VerdictState.Refutations

    enum Receipt: Equatable {
        /// A receipt time up to stream time, which was advanced to it if necessary.
        case followed(Timestamp)
        /// The record's own timestamp, to which stream time has not advanced yet.
        case ahead(Timestamp)
        /// The producer's clock is wrong, and the device time is missing, implausible or also far ahead.
        case unknown
    }

    /// Stream time; `nil` before the first record.
    private(set) var newest: Timestamp?
    /// Timestamps ahead that may show a silence; `nil` while records are near stream time.
    private(set) var candidate: Candidate?
    /// Timestamps ahead that were refuted; `nil` before the first, without effect once older than the memory.
    private(set) var refutations: Refutations?

    private let memoryMilliseconds: Int64

    /// Maximum lead of a timestamp over the broker's clock (`message.timestamp.after.max.ms`).
    private static let maximumLeadOfFirstMilliseconds: Int64 = 3_600_000
    /// Maximum difference between device time and timestamp, unless the first is near stream time.
    private static let maximumAgeMilliseconds: Int64 = 86_400_000

    /// `memorySeconds`: silence after which a driver is evicted.
    init(memorySeconds: Double) { memoryMilliseconds = Int64(memorySeconds * 1000) }

    /// Half of the memory: a step of this length evicts no driver that sent a fix within the other half.
    private var stepMilliseconds: Int64 { memoryMilliseconds / 2 }
    /// Span of timestamps ahead that confirms a silence: a tenth of the memory, 30 s by default.
    private var confirmationMilliseconds: Int64 { memoryMilliseconds / 10 }
    /// Tolerated difference between a timestamp and stream time, and between device time and timestamp.
    private var leadMilliseconds: Int64 { memoryMilliseconds / 10 }

    /// Stream time; before the first record, the minimum timestamp.
    var now: Timestamp { newest ?? Timestamp(milliseconds: .min) }

    /// Restores stream time and evidence from a changelog record; `refutations` is `nil` if the record made none.
    mutating func restore(_ time: Timestamp, candidate: Candidate?, refutations: Refutations?) {
        newest = max(newest ?? time, time)
        self.candidate = candidate
        if let refutations { self.refutations = refutations }
    }

    /// The refutations to store with a verdict; `nil` if stream time has advanced since the last one.
    var newRefutations: Refutations? { refutations?.at == newest ? refutations : nil }

    /// Estimates the receipt time of a record, and advances stream time to it if plausible.
    ///
    /// `device`: newest device time of its fixes. `wouldEvictOthers`: whether advancing to a time evicts other drivers.
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

    /// Starts stream time at the first record's timestamp, or at a device time up to a day older.
    ///
    /// Later records show which is right. Stream time starts up to an hour before the timestamp.
    private mutating func begin(at timestamp: Timestamp, device: Timestamp?) -> Receipt {
        guard let device, (leadMilliseconds + 1...Self.maximumAgeMilliseconds).contains(timestamp - device) else {
            newest = timestamp
            return .followed(timestamp)
        }
        newest = max(device, Timestamp(milliseconds: timestamp.milliseconds &- Self.maximumLeadOfFirstMilliseconds))
        candidate = Candidate(newest: timestamp, agreedMilliseconds: 0)
        return .ahead(timestamp)
    }

    /// Advances stream time to a timestamp near it or up to ``stepMilliseconds`` ahead.
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
        // Either the device sent a stored fix after a silence of the partition, or the producer's clock is ahead.
        let isOlder = device.map { timestamp - $0 > leadMilliseconds } ?? false
        let isDeviceNear = device.map { contradicts($0, timestamp, near: newest) } ?? false
        if timestamp - newest <= stepMilliseconds, !isDeviceNear { return follow(timestamp, newest) }
        // If this is the last record again, drivers evicted since then must not change the result.
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
                // The next record near stream time then also refutes this timestamp.
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

    /// Returns the device time if it is within a day of the timestamp or near stream time.
    private func plausible(_ device: Timestamp?, _ timestamp: Timestamp, _ newest: Timestamp) -> Timestamp? {
        device.flatMap { device in
            abs(timestamp - device) <= Self.maximumAgeMilliseconds || abs(device - newest) <= leadMilliseconds
                ? device : nil
        }
    }

    /// Returns whether the device time is near stream time, but not near the record's timestamp.
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
    /// A timestamp more than the memory after the candidate's newest one starts a second silence, which makes the first
    /// one certain: stream time advances to the candidate's newest timestamp.
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
            // Nearer to stream time than the candidate, so more likely the end of a silence.
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
