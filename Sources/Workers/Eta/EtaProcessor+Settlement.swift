import Domain
import Processing
import Support

/// Counts the distance of fixes that arrive after the message of their trip's start or end.
///
/// An ended trip stays in settlement until a fix measured at its end or later arrives, or until a timeout shorter than
/// the memory. If its distance has changed by then, a second record of the end follows.
extension EtaProcessor {
    /// Maximum number of a driver's ended trips in settlement.
    private static let settlementLimit = 4

    private var settlementMilliseconds: Int64 { memoryMilliseconds / 5 * 4 }

    func extendTrail(_ index: Int, by fix: LastFix, at time: Timestamp) {
        states[index].trail.add(
            fix.position.coordinate, isMoving: estimator.isMoving(fix.position, isHalted: fix.isHalted),
            measuredAt: min(fix.position.fixedAt, fix.receivedAt), arrivedAt: time,
            memoryMilliseconds: memoryMilliseconds)
    }

    /// Counts the fixes that arrived before the message of a trip's start or end, by their own times.
    func countDistance(of held: HeldTrip, _ index: Int, at time: Timestamp) {
        let limit = Timestamp(milliseconds: max(streamTime, time).milliseconds - memoryMilliseconds)
        held.trip.countDistance(in: states[index].trail, arrivedAfter: limit)
    }

    /// Keeps an ended trip while fixes measured before its end may still arrive.
    ///
    /// `isPublished`: whether its end was published before a restart.
    func beginSettlement(of held: HeldTrip, _ index: Int, isPublished: Bool, at time: Timestamp) {
        guard held.trip.isSettling else { return }
        // The settlement of an end that is too old to be restored finished before the restart.
        let isRecent = restoredAt.map { time.milliseconds > $0.milliseconds - memoryMilliseconds } ?? true
        guard isPublished || isRecent else { return }
        held.settlesUntil = Timestamp(milliseconds: time.milliseconds + settlementMilliseconds)
        held.publishedMeters = held.trip.progress.drivenMeters
        states[index].settling.append(held)
    }

    /// Counts a fix for the driver's ended trips, and publishes those whose settlement it completes.
    func settle(
        _ index: Int, by fix: LastFix, _ verdict: EventID, at time: Timestamp, into outputs: inout OutputBatch
    ) {
        for held in states[index].settling {
            guard held.seen.map(verdict.isAfter) ?? true, time <= held.settlesUntil else { continue }
            held.seen = verdict
            held.trip.settle(position: fix.position, isHalted: fix.isHalted, at: fix.receivedAt)
        }
        var number = 2
        while let held = states[index].settling.first(where: { !$0.trip.isSettling }) {
            states[index].settling.removeAll { $0 === held }
            publishSettlement(of: held, verdict.withMessage(number), at: time, into: &outputs)
            number += 1
        }
    }

    /// Publishes the driver's ended trips whose settlement timed out.
    func endSettlements(_ index: Int, now: Timestamp, into outputs: inout OutputBatch) {
        while let held = states[index].settling.first, held.settlesUntil < now {
            states[index].settling.removeFirst()
            guard hasChanged(held), let event = watermark.raw?.nextPunctuation else { continue }
            watermark.advance(to: event)
            publishSettlement(of: held, event, at: now, into: &outputs)
        }
    }

    /// Publishes the oldest ended trips beyond the limit.
    func limitSettlements(_ index: Int, _ event: EventID, at time: Timestamp, into outputs: inout OutputBatch) {
        var event = event
        while states[index].settling.count > Self.settlementLimit {
            publishSettlement(of: states[index].settling.removeFirst(), event, at: time, into: &outputs)
            event = event.withMessage(event.message + 1)
        }
    }

    private func hasChanged(_ held: HeldTrip) -> Bool { held.trip.progress.drivenMeters != held.publishedMeters }

    /// Writes the second record of an end if late fixes have changed the distance.
    private func publishSettlement(
        of held: HeldTrip, _ event: EventID, at time: Timestamp, into outputs: inout OutputBatch
    ) {
        held.trip.endSettlement()
        guard hasChanged(held) else { return }
        held.trip.announceSettlement()
        append(held.trip.eta(at: time), of: held, event, at: time, into: &outputs)
    }
}
