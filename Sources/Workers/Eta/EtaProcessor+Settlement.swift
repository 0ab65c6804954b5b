import Domain
import Processing
import Support

/// Counts the distance of fixes that arrive after the message of their trip's start or end.
///
/// An ended trip stays in settlement for up to 80 % of `memorySeconds`, until a fix measured at its
/// end or later arrives. If its distance has changed by then, a second record of the end follows.
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

    /// Corrects the distance by fixes that arrived before the message of the trip's start or end.
    func countDistance(of entry: TripEntry, _ index: Int, at time: Timestamp) {
        let limit = Timestamp(milliseconds: max(streamTime, time).milliseconds - memoryMilliseconds)
        entry.trip.countDistance(in: states[index].trail, arrivedAfter: limit)
    }

    /// Keeps an ended trip while fixes measured before its end may still arrive.
    ///
    /// `isPublished`: whether the end was published before a restart.
    func beginSettlement(of entry: TripEntry, _ index: Int, isPublished: Bool, at time: Timestamp) {
        guard entry.trip.isSettling else { return }
        // If the end is older than the restored changelog, its settlement finished before the restart.
        let isRecent = restoredAt.map { time.milliseconds > $0.milliseconds - memoryMilliseconds } ?? true
        guard isPublished || isRecent else { return }
        entry.settlesUntil = Timestamp(milliseconds: time.milliseconds + settlementMilliseconds)
        entry.publishedMeters = entry.trip.progress.drivenMeters
        states[index].settling.append(entry)
    }

    /// Counts a fix for the driver's ended trips; publishes changed distances of ended settlements.
    func settle(
        _ index: Int, by fix: LastFix, _ verdict: EventID, at time: Timestamp, into outputs: inout OutputBatch
    ) {
        for entry in states[index].settling {
            guard entry.seen.map(verdict.isAfter) ?? true, time <= entry.settlesUntil else { continue }
            entry.seen = verdict
            entry.trip.settle(position: fix.position, isHalted: fix.isHalted, at: fix.receivedAt)
        }
        // Message numbers 0 and 1 belong to the current and the next trip.
        var number = 2
        while let entry = states[index].settling.first(where: { !$0.trip.isSettling }) {
            states[index].settling.removeAll { $0 === entry }
            publishSettlement(of: entry, verdict.withMessage(number), at: time, into: &outputs)
            number += 1
        }
    }

    /// Ends the driver's settlements that timed out, and publishes changed distances.
    func endSettlements(_ index: Int, now: Timestamp, into outputs: inout OutputBatch) {
        while let entry = states[index].settling.first, entry.settlesUntil < now {
            states[index].settling.removeFirst()
            guard hasChanged(entry), let event = newestEvents.raw?.nextPunctuation else { continue }
            newestEvents.advance(to: event)
            publishSettlement(of: entry, event, at: now, into: &outputs)
        }
    }

    /// Ends the oldest settlements beyond the limit, and publishes changed distances.
    func limitSettlements(_ index: Int, _ event: EventID, at time: Timestamp, into outputs: inout OutputBatch) {
        var event = event
        while states[index].settling.count > Self.settlementLimit {
            publishSettlement(of: states[index].settling.removeFirst(), event, at: time, into: &outputs)
            event = event.withMessage(event.message + 1)
        }
    }

    private func hasChanged(_ entry: TripEntry) -> Bool { entry.trip.progress.drivenMeters != entry.publishedMeters }

    /// Ends a settlement, and writes a second record of the trip's end if late fixes have changed the distance.
    private func publishSettlement(
        of entry: TripEntry, _ event: EventID, at time: Timestamp, into outputs: inout OutputBatch
    ) {
        entry.trip.endSettlement()
        guard hasChanged(entry) else { return }
        entry.trip.announceSettlement()
        append(entry.trip.eta(at: time), of: entry, event, at: time, into: &outputs)
    }
}
