import Domain
import PositionWorker
import Support

/// The last update of a channel in one partition of rider.updates.
struct ChannelState {
    /// The last event of each origin.
    var watermark: Watermark
    /// The event of the last update.
    var event: EventID
    var offset: Int64
    var at: Timestamp

    /// Returns the fields of a channel's hash that are read.
    static func fields(partition: Int32) -> [String] { ["watermark:\(partition)", "event_id"] }
}

/// A comparison of the data of drivers and channels in Redis with the expected data.
final class PositionComparison {
    private let configuration: PositionSinkConfiguration
    private let now: Timestamp
    let drivers: AuditCheck
    let channels: AuditCheck

    /// Creates a comparison; `now` is the wall-clock time, for expired keys.
    init(_ configuration: PositionSinkConfiguration, _ checks: AuditChecks, now: Timestamp) {
        self.configuration = configuration
        self.now = now
        drivers = checks.drivers
        channels = checks.channels
    }

    /// Compares a driver's hash; `isDue`, `isRiskDue`: whether position and risk must be stored.
    ///
    /// `stored`: ``ExpectedPosition/fields`` in Redis.
    func compare(
        _ driver: String, _ position: ExpectedPosition, _ stored: [String?], isDue: Bool, isRiskDue: Bool = true,
        _ scope: PartitionScope
    ) throws {
        func add(_ kind: AuditDifference.Kind, _ what: String) {
            drivers.add(kind, position.event, offset: position.offset, key: driver, what)
        }
        if stored[0] == nil,
            let reason = absence(position.row.receivedAt, configuration.driverLifetime, isDue: isDue)
        {
            return drivers.tolerate(reason)
        }
        drivers.compared += 1
        guard let text = stored[0] else { return add(.missing, "there is no key driver:\(driver)") }
        guard let event = EventID(text) else { return add(.wrong, "event_id is \(text)") }
        if event.partition != position.event.partition {
            // After a change of the partition count, the driver is compared in its new partition.
            let isLater = stored[4].flatMap { Int64($0) }.map { $0 > position.row.receivedAt } ?? false
            return isLater ? drivers.tolerate(.moved) : add(.wrong, "event_id is \(text)")
        }
        if event == position.event {
            if let what = position.difference(from: stored) { return add(.wrong, what) }
            try compareRisk(position, stored, isDue: isRiskDue, scope) { add($0, $1) }
        } else if position.event.isAfter(event) {
            if isDue { add(.stale, "Redis has event \(text)") } else { drivers.tolerate(.tooNew) }
        } else if try scope.mayBeNew(event) {
            drivers.tolerate(.tooNew)
        } else {
            add(.wrong, "Redis has event \(text), which has no position")
        }
    }

    /// Compares the risk in a driver's hash; the hash has the expected position.
    private func compareRisk(
        _ position: ExpectedPosition, _ stored: [String?], isDue: Bool, _ scope: PartitionScope,
        _ add: (AuditDifference.Kind, String) -> Void
    ) throws {
        guard let text = stored[ExpectedPosition.riskEventField] else {
            return drivers.tolerate(.earlierVersion)
        }
        guard let event = EventID(text) else { return add(.wrong, "risk_event_id is \(text)") }
        // After a change of the partition count, a verdict in another partition may have set the flag.
        guard event.partition == position.event.partition else { return drivers.tolerate(.moved) }
        if event.isAfter(position.risk.event) {
            let isNew = try scope.mayBeNew(event)
            return isNew ? drivers.tolerate(.tooNew) : add(.wrong, "risk_event_id is \(text), which is not a verdict")
        }
        guard let what = position.riskDifference(from: stored, configuration.nearestDrivers) else { return }
        if isDue { add(.wrong, what) } else { drivers.tolerate(.tooNew) }
    }

    /// Compares a channel's hash.
    ///
    /// `stored`: ``ChannelState/fields(partition:)`` in Redis.
    func compare(_ channel: String, _ state: ChannelState, _ stored: [String?], isDue: Bool) {
        func add(_ kind: AuditDifference.Kind, _ what: String) {
            channels.add(kind, state.event, offset: state.offset, key: channel, what)
        }
        let partition = state.event.partition
        if stored[0] == nil, let reason = absence(state.at.milliseconds, configuration.tripLifetime, isDue: isDue) {
            return channels.tolerate(reason)
        }
        channels.compared += 1
        guard let text = stored[0] else {
            return add(.missing, "there is no key \(channel) with the field watermark:\(partition)")
        }
        guard let watermark = Watermark(text: text) else { return add(.wrong, "watermark:\(partition) is \(text)") }
        if watermark.isBehind(state.watermark) {
            if isDue { add(.stale, "watermark:\(partition) is \(text)") } else { channels.tolerate(.tooNew) }
        } else if state.watermark.isBehind(watermark) {
            // Punctuations publish updates at any time, and Redis may contain updates that retention has deleted.
            channels.tolerate(.tooNew)
        } else if let last = stored[1].flatMap({ EventID($0) }), last == state.event || last.partition != partition {
            return
        } else {
            add(.wrong, "event_id is \(stored[1] ?? "absent")")
        }
    }

    /// Checks a driver that is in Redis, but has no position in the verdicts.
    ///
    /// `isEarlier`: whether the position is older than all verdicts of the partition.
    func compareUnknown(_ driver: String, _ event: EventID, _ scope: PartitionScope, isEarlier: Bool = false) throws {
        // The verdict of the position is out of scope.
        guard scope.contains(event) else { return }
        if isEarlier { return drivers.tolerate(.earlierTopics) }
        if try scope.mayBeNew(event) { return drivers.tolerate(.tooNew) }
        drivers.add(.unexpected, event, key: driver, "there is no verdict with a position of this driver")
    }

    /// Returns the reason why a key written at `time` may be missing; `nil` if it is required.
    private func absence(_ time: Int64, _ lifetime: Duration, isDue: Bool) -> AuditCheck.ToleratedReason? {
        guard isDue else { return .tooNew }
        let minimumLifetime = (lifetime - configuration.lifetimeSlack).wholeMilliseconds
        return now.milliseconds - time >= minimumLifetime ? .expired : nil
    }
}

extension Watermark {
    /// Returns whether `other` has an event that this watermark has not reached.
    fileprivate func isBehind(_ other: Watermark) -> Bool {
        [EventID.Origin.raw, .trips].contains { origin in
            guard let event = other.last(of: origin) else { return false }
            return last(of: origin).map { event.isAfter($0) } ?? true
        }
    }
}
