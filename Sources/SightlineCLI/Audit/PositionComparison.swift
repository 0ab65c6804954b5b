import Lanes
import Sinks
import Tracking

/// The last update of a channel of rider.updates.
struct ChannelState {
    var event: EventID
    var offset: Int64
    var at: Timestamp

    /// The fields read of a channel's hash.
    static let fields = ["version", "event_id"]
}

/// Compares what Redis says of drivers and channels with what it should say.
final class PositionComparison {
    private let configuration: PositionSinkConfiguration
    private let now: Timestamp
    let drivers: AuditCheck
    let channels: AuditCheck

    ///
    /// `now`: the time by the wall clock, for keys whose time is up.
    init(_ configuration: PositionSinkConfiguration, now: Timestamp, exampleLimit: Int) {
        self.configuration = configuration
        self.now = now
        drivers = AuditCheck(
            "redis", "Redis holds every driver's last accepted position, and no other driver",
            exampleLimit: exampleLimit)
        channels = AuditCheck(
            "redis-trips", "Redis holds every trip's last rider update", exampleLimit: exampleLimit)
    }

    /// Takes a driver's hash.
    ///
    /// `found`: ``ExpectedPosition/fields`` as they stand in Redis;
    /// `isDue`: whether the position was there long enough ago to be stored.
    func take(
        _ driver: String, _ position: ExpectedPosition, _ found: [String?], isDue: Bool, _ scope: LaneScope
    ) throws {
        func note(_ kind: AuditDifference.Kind, _ what: String) {
            drivers.note(
                AuditDifference(
                    kind: kind, lane: position.event.lane, offset: position.offset, event: position.event, key: driver,
                    what: what))
        }
        guard let text = found[0] else {
            if let excuse = absence(position.row.receivedAt, configuration.driverLifetime, isDue: isDue) {
                return drivers.excuse(excuse)
            }
            drivers.compared += 1
            return note(.missing, "there is no key driver:\(driver)")
        }
        drivers.compared += 1
        guard let event = EventID(text), event.lane == position.event.lane else {
            return note(.wrong, "event_id is \(text)")
        }
        if event == position.event {
            if let what = position.difference(from: found) { note(.wrong, what) }
        } else if position.event.isAfter(event) {
            if isDue { note(.stale, "Redis is at \(text)") } else { drivers.excuse(.tooNew) }
        } else if try scope.mayBeNew(event) {
            drivers.excuse(.tooNew)
        } else {
            note(.wrong, "Redis is at \(text), which was not accepted")
        }
    }

    /// Takes a channel's hash.
    ///
    /// `found`: ``ChannelState/fields`` as they stand in Redis.
    func take(_ channel: String, _ state: ChannelState, _ found: [String?], isDue: Bool) {
        func note(_ kind: AuditDifference.Kind, _ what: String) {
            channels.note(
                AuditDifference(
                    kind: kind, lane: state.event.lane, offset: state.offset, event: state.event, key: channel,
                    what: what))
        }
        // Its version is an offset of whichever lane wrote last.
        if channel.hasPrefix("route:") { return channels.excuse(.shared) }
        guard let version = found[0].flatMap({ Int64($0) }) else {
            if let excuse = absence(state.at.milliseconds, configuration.tripLifetime, isDue: isDue) {
                return channels.excuse(excuse)
            }
            channels.compared += 1
            return note(.missing, "there is no key \(channel)")
        }
        channels.compared += 1
        if version > state.offset {
            // A tick tells riders something at any time.
            channels.excuse(.tooNew)
        } else if version < state.offset {
            if isDue { note(.stale, "version is \(version)") } else { channels.excuse(.tooNew) }
        } else if found[1] != state.event.description {
            note(.wrong, "event_id is \(found[1] ?? "absent")")
        }
    }

    /// Takes a driver in Redis that no accepted verdict speaks of.
    func takeStranger(_ driver: String, _ event: EventID, _ scope: LaneScope) throws {
        if try scope.mayBeNew(event) { return drivers.excuse(.tooNew) }
        drivers.note(
            AuditDifference(
                kind: .foreign, lane: event.lane, event: event, key: driver,
                what: "no accepted verdict speaks of this driver"))
    }

    /// Why a key last written at `time` may not be there; lifetimes are renewed with some slack.
    private func absence(_ time: Int64, _ lifetime: Duration, isDue: Bool) -> AuditCheck.Excuse? {
        guard isDue else { return .tooNew }
        let kept = (lifetime - configuration.lifetimeSlack).wholeMilliseconds
        return now.milliseconds - time >= kept ? .expired : nil
    }
}
