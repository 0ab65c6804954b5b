import Codec
import Domain
import Runtime
import Support

/// A check of the sources of arrival times and rider updates: verdicts, punctuations and trip messages.
///
/// The verdicts must be visible to riders: with a position and without a flag. Between two records of a trip without a
/// trip message in between, no visible verdict of its driver may be skipped. Arrival times are not computed again,
/// because they depend on how the records of two topics were interleaved.
final class SourceAudit {
    private let verdicts: VerdictIndex
    /// The offset after the last trip message of the partition.
    private let tripsEnd: Int64
    private let scope: PartitionScope
    private let delays: DelayCheck
    private let reader = TripEtaReader()
    /// Index of the first verdict that is not in ``lastVisible`` yet.
    private var visited = 0
    /// The last two visible verdicts, by driver.
    private var lastVisible: [UInt64: (last: EventID, before: EventID?)] = [:]
    /// The verdict of the last record of each trip and driver, since the last trip message.
    private var lastVerdicts: [Drive: EventID] = [:]

    private struct Drive: Hashable {
        var trip: String
        var driver: String
    }

    private var eta = TripEta(tripID: "", driverID: "", state: .requested, computedAt: Timestamp(milliseconds: 0))

    /// Creates a check of a partition with all its `verdicts`; `delay`: the settings of the workers.
    init(
        _ verdicts: VerdictIndex, tripsEnd: Int64, _ scope: PartitionScope,
        delay: DelayClassifier.Settings = DelayClassifier.Settings()
    ) {
        self.verdicts = verdicts
        self.tripsEnd = tripsEnd
        self.scope = scope
        delays = DelayCheck(settings: delay)
    }

    /// Checks all arrival times of the partition.
    func checkEtas(_ source: any RecordSource, into check: AuditCheck) throws {
        let changelog = ChangelogReader(source, check: check)
        while let (record, event) = try changelog.next() {
            guard hasSource(event, check) else { continue }
            check.compared += 1
            guard record.read({ reader.read($0, into: &eta) }) == event else {
                check.add(.unreadable, record, "the record is not an arrival time, or has another event id")
                continue
            }
            if let what = delays.contradiction(in: eta.stops) { check.add(.wrong, record, what) }
            let drive = Drive(trip: eta.tripID, driver: eta.driverID)
            if event.origin == .trips { lastVerdicts[drive] = nil }
            guard event.origin == .raw, event.punctuation == 0 else {
                checkSource(of: record, event, into: check)
                continue
            }
            checkGap(drive, event.withMessage(0), record, check)
            switch verdicts.find(event.withMessage(0), driver: eta.driverID) {
            case nil: check.add(.unexpected, record, "there is no such verdict")
            case (isDriver: false, _)?: check.add(.unexpected, record, "its verdict is not from driver \(eta.driverID)")
            case (_, isShown: false)?: check.add(.unexpected, record, "its verdict has no position, or is flagged")
            default: break
            }
        }
    }

    /// Adds a difference if the trip has no record for the visible verdict of its driver before `event`.
    private func checkGap(_ drive: Drive, _ event: EventID, _ record: AuditedRecord, _ check: AuditCheck) {
        visited = verdicts.visitShown(from: visited, through: event) { event, driver in
            lastVisible[driver] = (event, lastVisible[driver]?.last)
        }
        let before = lastVisible[VerdictIndex.number(of: drive.driver)]?.before
        if let last = lastVerdicts[drive], let before, before.isAfter(last) {
            check.add(
                .missing, before, offset: record.offset, key: drive.trip,
                "the trip has records for \(last) and \(event), but not for this verdict of its driver")
        }
        lastVerdicts[drive] = event
    }

    /// Checks the source of a rider update; tolerates a source that retention has deleted.
    func checkUpdate(_ record: AuditedRecord, _ event: EventID, into check: AuditCheck) {
        guard hasSource(event, check) else { return }
        check.compared += 1
        checkSource(of: record, event, into: check)
    }

    /// Returns whether the source of an event is in scope; if not, counts the event as deleted by retention.
    private func hasSource(_ event: EventID, _ check: AuditCheck) -> Bool {
        guard event.origin == .raw, event.offset < scope.firstRaw else { return true }
        check.tolerate(.retention)
        return false
    }

    private func checkSource(of record: AuditedRecord, _ event: EventID, into check: AuditCheck) {
        guard event.origin == .raw else {
            if event.offset >= tripsEnd { check.add(.unexpected, record, "there is no such trip message") }
            return
        }
        // A punctuation may follow any verdict.
        guard let isShown = verdicts.isShown(event.withPunctuation(0)) else {
            return check.add(.unexpected, record, "there is no such verdict")
        }
        guard event.punctuation == 0, !isShown else { return }
        check.add(.unexpected, record, "its verdict has no position, or is flagged")
    }
}

/// A check that each delay in trip.etas is the arrival time minus the timetable, and matches its `delay` code.
struct DelayCheck {
    let settings: DelayClassifier.Settings

    /// Describes the first inconsistent delay; `nil` if all delays are consistent.
    func contradiction(in stops: [TripEta.Stop]) -> String? {
        for stop in stops {
            if let what = contradiction(in: stop) { return "stop \(stop.id): \(what)" }
        }
        return nil
    }

    private func contradiction(in stop: TripEta.Stop) -> String? {
        guard let delay = stop.delaySeconds else {
            if stop.delay != .unknown { return "delay is \(stop.delay.code) without delay_seconds" }
            return stop.arrivesAt != nil && stop.scheduledAt != nil ? "delay_seconds is absent" : nil
        }
        guard let arrivesAt = stop.arrivesAt else { return "delay_seconds is \(delay) without arrives_at" }
        // Without a timetable, the delay is relative to the first predicted arrival, which is not in the record.
        if let scheduledAt = stop.scheduledAt {
            let seconds = DelayClassifier.seconds(of: arrivesAt, since: scheduledAt)
            if delay != seconds { return "delay_seconds is \(delay), arrives_at minus scheduled_at is \(seconds)" }
        }
        return DelayClassifier.agrees(stop.delay, with: delay, settings: settings)
            ? nil : "delay is \(stop.delay.code) with delay_seconds \(delay)"
    }
}
