import Model
import PositionWorker
import Support

/// The last update of a channel in one partition of rider.updates.
struct ChannelState {
    /// The last event of each origin.
    var clock: Watermark
    /// That of the last update.
    var event: EventID
    var offset: Int64
    var at: Timestamp

    /// The fields read of a channel's hash.
    static func fields(partition: Int32) -> [String] { ["clock:\(partition)", "event_id"] }
}

/// Compares what Redis says of drivers and channels with what it should say.
final class PositionComparison {
    private let configuration: PositionSinkConfiguration
    private let now: Timestamp
    let drivers: AuditCheck
    let channels: AuditCheck

    /// Makes a comparison without findings.
    ///
    /// `now`: the time by the wall clock, for keys whose time is up.
    init(_ configuration: PositionSinkConfiguration, now: Timestamp, exampleLimit: Int) {
        self.configuration = configuration
        self.now = now
        drivers = AuditCheck(
            "redis", "Redis holds every driver's last judged position, its risk and flag, and no other driver",
            exampleLimit: exampleLimit)
        channels = AuditCheck(
            "redis-trips", "Redis holds the last rider update of every trip, and of a route from every partition",
            exampleLimit: exampleLimit)
    }

    /// Takes a driver's hash.
    ///
    /// `found`: ``ExpectedPosition/fields`` as they stand in Redis;
    /// `isDue`: whether the position was there long enough ago to be stored;
    /// `isRiskDue`: whether the verdict that its risk is of was.
    func take(
        _ driver: String, _ position: ExpectedPosition, _ found: [String?], isDue: Bool, isRiskDue: Bool = true,
        _ scope: PartitionScope
    ) throws {
        func note(_ kind: AuditDifference.Kind, _ what: String) {
            drivers.note(kind, position.event, offset: position.offset, key: driver, what)
        }
        guard let text = found[0] else {
            if let excuse = absence(position.row.receivedAt, configuration.driverLifetime, isDue: isDue) {
                return drivers.excuse(excuse)
            }
            drivers.compared += 1
            return note(.missing, "there is no key driver:\(driver)")
        }
        drivers.compared += 1
        guard let event = EventID(text) else { return note(.wrong, "event_id is \(text)") }
        if event.partition != position.event.partition {
            // Where the topics' partitions were changed the driver goes on in another partition, and is compared there.
            let isLater = found[4].flatMap { Int64($0) }.map { $0 > position.row.receivedAt } ?? false
            return isLater ? drivers.excuse(.moved) : note(.wrong, "event_id is \(text)")
        }
        if event == position.event {
            if let what = position.difference(from: found) { return note(.wrong, what) }
            try takeRisk(position, found, isDue: isRiskDue, scope) { note($0, $1) }
        } else if position.event.isAfter(event) {
            if isDue { note(.stale, "Redis is at \(text)") } else { drivers.excuse(.tooNew) }
        } else if try scope.mayBeNew(event) {
            drivers.excuse(.tooNew)
        } else {
            note(.wrong, "Redis is at \(text), which moves no position")
        }
    }

    /// Compares what a driver's hash says of its risk, where it stands at the position expected.
    private func takeRisk(
        _ position: ExpectedPosition, _ found: [String?], isDue: Bool, _ scope: PartitionScope,
        _ note: (AuditDifference.Kind, String) -> Void
    ) throws {
        guard let text = found[ExpectedPosition.riskEventField] else {
            return drivers.excuse(.earlierVersion)
        }
        guard let event = EventID(text) else { return note(.wrong, "risk_event_id is \(text)") }
        // Where the topics' partitions were changed a verdict in another partition may have set the flag.
        guard event.partition == position.event.partition else { return drivers.excuse(.moved) }
        if event.isAfter(position.risk.event) {
            let isNew = try scope.mayBeNew(event)
            return isNew ? drivers.excuse(.tooNew) : note(.wrong, "risk_event_id is \(text), which is no verdict")
        }
        guard let what = position.riskDifference(from: found, configuration.nearestDrivers) else { return }
        if isDue { note(.wrong, what) } else { drivers.excuse(.tooNew) }
    }

    /// Takes a channel's hash.
    ///
    /// `found`: ``ChannelState/fields(partition:)`` as they stand in Redis.
    func take(_ channel: String, _ state: ChannelState, _ found: [String?], isDue: Bool) {
        func note(_ kind: AuditDifference.Kind, _ what: String) {
            channels.note(kind, state.event, offset: state.offset, key: channel, what)
        }
        let partition = state.event.partition
        guard let text = found[0] else {
            if let excuse = absence(state.at.milliseconds, configuration.tripLifetime, isDue: isDue) {
                return channels.excuse(excuse)
            }
            channels.compared += 1
            return note(.missing, "there is no key \(channel) with a clock of partition \(partition)")
        }
        channels.compared += 1
        guard let clock = Watermark(text: text) else { return note(.wrong, "clock:\(partition) is \(text)") }
        if clock.isBehind(state.clock) {
            if isDue { note(.stale, "clock:\(partition) is \(text)") } else { channels.excuse(.tooNew) }
        } else if state.clock.isBehind(clock) {
            // A punctuation tells riders something at any time; and of what retention has deleted only Redis knows.
            channels.excuse(.tooNew)
        } else if let last = found[1].flatMap({ EventID($0) }), last == state.event || last.partition != partition {
            return
        } else {
            note(.wrong, "event_id is \(found[1] ?? "absent")")
        }
    }

    /// Takes a driver in Redis that no verdict with a position speaks of.
    ///
    /// `isEarlier`: whether the position is older than every verdict of the partition.
    func takeStranger(_ driver: String, _ event: EventID, _ scope: PartitionScope, isEarlier: Bool = false) throws {
        // No verdict that was read could speak of it.
        guard scope.contains(event) else { return }
        if isEarlier { return drivers.excuse(.earlierTopics) }
        if try scope.mayBeNew(event) { return drivers.excuse(.tooNew) }
        drivers.note(.foreign, event, key: driver, "no verdict with a position speaks of this driver")
    }

    /// Why a key last written at `time` may not be there; lifetimes are renewed with some slack.
    private func absence(_ time: Int64, _ lifetime: Duration, isDue: Bool) -> AuditCheck.Excuse? {
        guard isDue else { return .tooNew }
        let kept = (lifetime - configuration.lifetimeSlack).wholeMilliseconds
        return now.milliseconds - time >= kept ? .expired : nil
    }
}

extension Watermark {
    /// Whether `other` has an event that this clock has not come to.
    fileprivate func isBehind(_ other: Watermark) -> Bool {
        [EventID.Origin.raw, .trips].contains { origin in
            guard let event = other.last(of: origin) else { return false }
            return last(of: origin).map { event.isAfter($0) } ?? true
        }
    }
}
