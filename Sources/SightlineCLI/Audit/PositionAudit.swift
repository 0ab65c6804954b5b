import Lanes
import Redis
import Sinks
import Tracking

/// Compares Redis with the topics that it is made from: the last accepted position of every driver, and the last update
/// of every channel.
///
/// Belongs to one thread.
final class PositionAudit {
    /// The last update of a channel.
    struct ChannelState {
        var event: EventID
        var offset: Int64
        var at: Timestamp
    }

    private static let pipelined = 1000
    private let connection: RedisConnection
    private let configuration: PositionSinkConfiguration
    private let now: Timestamp
    private var commands = RedisCommands()
    /// Drivers of all lanes, by the hash of their name.
    private var known: Set<UInt64> = []
    private var lanes: Set<Int32> = []
    let drivers: AuditCheck
    let channels: AuditCheck

    /// - Parameter now: the time by the wall clock, for keys whose time is up.
    init(_ configuration: PositionSinkConfiguration, now: Timestamp, exampleLimit: Int) throws {
        self.configuration = configuration
        self.now = now
        connection = try RedisConnection(configuration.redis)
        drivers = AuditCheck(
            "redis", "Redis holds every driver's last accepted position, and no other driver",
            exampleLimit: exampleLimit)
        channels = AuditCheck(
            "redis-trips", "Redis holds every trip's and route's last rider update", exampleLimit: exampleLimit)
    }

    var checks: [AuditCheck] { [drivers, channels] }

    /// Compares the drivers of a lane.
    ///
    /// `due`: the offset of driver.locations from which on records need not be stored yet.
    func compareDrivers(_ verdicts: VerdictStream, _ scope: LaneScope, due: Int64) throws {
        lanes.insert(scope.lane)
        for driver in verdicts.positions.keys { known.insert(Self.hash(driver)) }
        try ask(verdicts.positions, "driver:", ExpectedPosition.fields) { driver, position, found in
            try judge(driver, position, found, isDue: position.offset < due, scope)
        }
    }

    private func judge(
        _ driver: String, _ position: ExpectedPosition, _ found: [String?], isDue: Bool, _ scope: LaneScope
    ) throws {
        func note(_ kind: AuditDifference.Kind, _ what: String) {
            drivers.note(
                AuditDifference(
                    kind: kind, lane: position.event.lane, offset: position.offset, event: position.event, key: driver,
                    what: what))
        }
        guard let text = found[0] else {
            if !isDue { return drivers.excuse(.tooNew) }
            if isExpired(position.row.receivedAt, configuration.driverLifetime) { return drivers.excuse(.expired) }
            drivers.compared += 1
            return note(.missing, "there is no key driver:\(driver)")
        }
        drivers.compared += 1
        guard let event = EventID(text) else { return note(.wrong, "event_id is \(text), which is no event") }
        if event == position.event {
            if let what = position.difference(from: found) { note(.wrong, what) }
        } else if event.lane != position.event.lane {
            note(.wrong, "Redis is at \(text)")
        } else if position.event.isAfter(event) {
            if isDue { note(.stale, "Redis is at \(text)") } else { drivers.excuse(.tooNew) }
        } else if try scope.mayBeNew(event) {
            drivers.excuse(.tooNew)
        } else {
            note(.wrong, "Redis is at \(text), which was not accepted")
        }
    }

    /// Compares the channels of a lane.
    ///
    /// `due`: the offset of rider.updates from which on records need not be stored yet.
    func compareChannels(_ states: [String: ChannelState], lane: Int32, due: Int64) throws {
        try ask(states, "", ["version", "event_id"]) { channel, state, found in
            func note(_ kind: AuditDifference.Kind, _ what: String) {
                channels.note(
                    AuditDifference(
                        kind: kind, lane: lane, offset: state.offset, event: state.event, key: channel, what: what))
            }
            let isDue = state.offset < due
            guard let version = found[0].flatMap({ Int64($0) }) else {
                if !isDue { return channels.excuse(.tooNew) }
                if isExpired(state.at.milliseconds, configuration.tripLifetime) { return channels.excuse(.expired) }
                channels.compared += 1
                return note(.missing, "there is no key \(channel)")
            }
            if version > state.offset { return channels.excuse(.tooNew) }
            channels.compared += 1
            if version < state.offset {
                if isDue { note(.stale, "version is \(version)") } else { channels.excuse(.tooNew) }
            } else if found[1] != state.event.description {
                note(.wrong, "event_id is \(found[1] ?? "absent")")
            }
        }
    }

    /// Looks for drivers in Redis that no verdict of the lanes audited speaks of.
    func findForeignDrivers(noteRead: () throws -> Void) throws {
        let prefix = "\(configuration.keyPrefix)driver:"
        var cursor = "0"
        repeat {
            let answer = try connection.call("SCAN", cursor, "MATCH", Self.escaped(prefix) + "*", "COUNT", "1000")
            cursor = answer.elements.first?.text ?? "0"
            let keys = (answer.elements.last?.elements ?? []).compactMap(\.text)
            try noteRead()
            var strangers: [String: Void] = [:]
            for key in keys where !key.hasSuffix(":trail") {
                let driver = String(key.dropFirst(prefix.count))
                if !known.contains(Self.hash(driver)) { strangers[driver] = () }
            }
            try ask(strangers, "driver:", ["event_id"]) { driver, _, found in
                guard let text = found[0], let event = EventID(text) else { return }
                guard lanes.contains(event.lane) else { return }
                drivers.note(
                    AuditDifference(
                        kind: .foreign, lane: event.lane, event: event, key: driver,
                        what: "no accepted verdict speaks of this driver"))
            }
        } while cursor != "0"
    }

    /// Whether a key last written at `time` may have been deleted since; lifetimes are renewed with some slack.
    private func isExpired(_ time: Int64, _ lifetime: Duration) -> Bool {
        let kept = lifetime - configuration.lifetimeSlack
        return now.milliseconds - time >= Int64(kept / .milliseconds(1))
    }

    /// Reads fields of many hashes and hands them over.
    private func ask<Value>(
        _ keys: [String: Value], _ kind: String, _ fields: [String], _ body: (String, Value, [String?]) throws -> Void
    ) throws {
        let all = keys.sorted { $0.key < $1.key }
        for start in stride(from: 0, to: all.count, by: Self.pipelined) {
            let some = all[start..<min(start + Self.pipelined, all.count)]
            for entry in some {
                commands.begin("HMGET", arguments: 1 + fields.count)
                commands.add("\(configuration.keyPrefix)\(kind)\(entry.key)")
                for field in fields { commands.add(field) }
            }
            try connection.send(&commands)
            for entry in some { try body(entry.key, entry.value, try connection.receive().elements.map(\.text)) }
        }
    }

    private static func hash(_ driver: String) -> UInt64 { ByteSlice.withBytes(of: driver) { $0.stableHash } }

    /// A text that Redis' patterns take as it is.
    private static func escaped(_ text: String) -> String {
        text.reduce(into: "") { result, character in
            if "*?[]\\^".contains(character) { result.append("\\") }
            result.append(character)
        }
    }
}
