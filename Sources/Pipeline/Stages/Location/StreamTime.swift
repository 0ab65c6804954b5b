import Pipeline
import Tracking

/// The time of a partition, by the receipts of its records: what drivers are forgotten by, and what derived records are
/// dated by.
///
/// It follows every receipt that is up to half of the memory ahead of it, unless the device says that it is stream time
/// now: then the producer's clock is wrong, in either direction, and the device's time stands in for the receipt. A
/// receipt that is farther ahead comes after a silence of the partition, or from a producer whose clock is wrong. Then,
/// in this order:
///
/// 1. A device that says its newest fix was taken much earlier is believed before the producer is.
/// 2. A step that makes the partition forget no other driver does no harm, and is taken.
/// 3. Receipts that go on for a tenth of the memory by their own time, without any record near stream time between
///    them, are taken for the end of a silence. Until then their fixes cannot be dated.
///
/// Deterministic: it depends on the records alone, and asking again about the record asked about last changes nothing.
struct StreamTime: Equatable {
    typealias Candidate = VerdictState.Candidate

    /// The newest receipt that was believed; `nil` before the first.
    private(set) var newest: Timestamp?
    /// `nil` while records near stream time come.
    private(set) var candidate: Candidate?

    private let memoryMilliseconds: Int64

    /// `memorySeconds`: silence after which a driver is forgotten.
    init(memorySeconds: Double) { memoryMilliseconds = Int64(memorySeconds * 1000) }

    /// Half of the memory: a step of that length forgets no driver that was heard in the other half.
    private var stepMilliseconds: Int64 { memoryMilliseconds / 2 }
    /// A tenth of the memory, 30 s unless it was set otherwise.
    private var confirmationMilliseconds: Int64 { memoryMilliseconds / 10 }
    /// How far a receipt may be from stream time, and a device from its receipt, without a doubt: as long.
    private var leadMilliseconds: Int64 { memoryMilliseconds / 10 }

    /// Stream time, or the beginning of time where there is none.
    var now: Timestamp { newest ?? Timestamp(milliseconds: .min) }

    /// Takes back what the changelog says.
    mutating func restore(_ time: Timestamp, candidate: Candidate?) {
        newest = max(newest ?? time, time)
        self.candidate = candidate
    }

    /// The time at which a record was received, as far as it is believed, having moved stream time there.
    /// - Parameters:
    ///   - stamp: the record's own timestamp.
    ///   - device: when its newest fix was taken, by the device.
    ///   - forgetsOthers: whether at a time some driver other than the record's own is forgotten who is not yet.
    /// - Returns: `nil` when it is not known.
    mutating func receipt(
        stamped stamp: Timestamp, device: @autoclosure () -> Timestamp?, forgetsOthers: (Timestamp) -> Bool
    ) -> Timestamp? {
        guard let newest else {
            self.newest = stamp
            return stamp
        }
        let ahead = stamp.milliseconds - newest.milliseconds
        if abs(ahead) > leadMilliseconds, let device = device(), contradicts(device, stamp, near: newest) {
            // A record near stream time contradicts those that are far ahead, also if its device dates it.
            if abs(ahead) <= stepMilliseconds { candidate = nil }
            let claim = ahead > 0 ? max(device, newest) : min(device, newest)
            self.newest = max(newest, claim)
            return claim
        }
        if ahead <= stepMilliseconds {
            if ahead >= -stepMilliseconds { candidate = nil }
            self.newest = max(newest, stamp)
            return stamp
        }
        var claim = stamp
        if let device = device(), stamp.milliseconds - device.milliseconds > stepMilliseconds {
            // Not a witness against a silence either: an old fix may be uploaded late.
            claim = max(device, newest)
            if claim.milliseconds - newest.milliseconds <= stepMilliseconds {
                self.newest = claim
                return claim
            }
        }
        if forgetsOthers(claim), !isConfirmed(claim) { return nil }
        candidate = nil
        self.newest = claim
        return claim
    }

    /// Whether a device says that it is stream time now, and its record's stamp something else.
    ///
    /// A device that says anything else is no witness: its fix may be old, or its clock wrong.
    private func contradicts(_ device: Timestamp, _ stamp: Timestamp, near newest: Timestamp) -> Bool {
        abs(device.milliseconds - newest.milliseconds) <= leadMilliseconds
            && abs(stamp.milliseconds - device.milliseconds) > leadMilliseconds
    }

    /// Counts a receipt that is far ahead, and tells whether such receipts have gone on for long enough.
    private mutating func isConfirmed(_ claim: Timestamp) -> Bool {
        guard var found = candidate else {
            candidate = Candidate(newest: claim, agreedMilliseconds: 0)
            return false
        }
        let step = claim.milliseconds - found.newest.milliseconds
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
