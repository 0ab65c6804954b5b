import Model
import PositionWorker
import Redis
import Support

/// Compares Redis with the topics that it is made from: the last judged position of every driver, and the last update
/// of every trip and route.
///
/// Belongs to one thread.
final class PositionAudit {
    private static let pipelined = 1000
    private let connection: RedisConnection
    private let configuration: PositionSinkConfiguration
    private var commands = RedisCommands()
    /// Drivers of all partitions, by the hash of their name.
    private var known: Set<UInt64> = []
    private var scopes: [Int32: PartitionScope] = [:]
    /// When the oldest record was received that a verdict of the partition is about, in epoch milliseconds; absent for a
    /// partition without verdicts.
    private var oldest: [Int32: Int64] = [:]
    private let comparison: PositionComparison
    private let check: () throws -> Void

    /// Makes an audit of the positions.
    ///
    /// `now`: the time by the wall clock, for keys whose time is up.
    /// `check`: called before each request; throwing gives up.
    init(
        _ configuration: PositionSinkConfiguration, now: Timestamp, exampleLimit: Int,
        check: @escaping () throws -> Void
    ) throws {
        self.configuration = configuration
        self.check = check
        connection = try RedisConnection(configuration.redis)
        comparison = PositionComparison(configuration, now: now, exampleLimit: exampleLimit)
    }

    var checks: [AuditCheck] { [comparison.drivers, comparison.channels] }

    /// Compares the drivers of a partition.
    ///
    /// `due`: the offset of driver.locations from which on records need not be stored yet.
    func compareDrivers(_ verdicts: VerdictStream, _ scope: PartitionScope, due: Int64) throws {
        scopes[scope.partition] = scope
        oldest[scope.partition] = verdicts.oldestReceivedAt
        for driver in verdicts.positions.keys { known.insert(Self.hash(driver)) }
        try ask(verdicts.positions, "driver:", ExpectedPosition.fields) { driver, position, found in
            try comparison.take(
                driver, position, found, isDue: position.offset < due, isRiskDue: position.risk.offset < due, scope)
        }
    }

    /// Compares the channels of a partition.
    ///
    /// `due`: the offset of rider.updates from which on records need not be stored yet.
    func compareChannels(_ states: [String: ChannelState], partition: Int32, due: Int64) throws {
        try ask(states, "", ChannelState.fields(partition: partition)) { channel, state, found in
            comparison.take(channel, state, found, isDue: state.offset < due)
        }
    }

    /// Looks for drivers in Redis that no verdict of the partitions audited speaks of.
    ///
    /// `progress`: called after each page of keys.
    func findForeignDrivers(progress: () -> Void) throws {
        let prefix = "\(configuration.keyPrefix)driver:"
        try check()
        try connection.scan(prefix: prefix, "*") { keys in
            try check()
            progress()
            var strangers: [String: Void] = [:]
            for key in keys where !key.hasSuffix(":trail") {
                let driver = String(key.dropFirst(prefix.count))
                if !known.contains(Self.hash(driver)) { strangers[driver] = () }
            }
            try ask(strangers, "driver:", ["event_id", "received_at"]) { driver, _, found in
                guard let event = found[0].flatMap({ EventID($0) }), let scope = scopes[event.partition] else { return }
                let receivedAt = found[1].flatMap { Int64($0) }
                try comparison.takeStranger(
                    driver, event, scope, isEarlier: isEarlier(receivedAt, event.partition))
            }
        }
    }

    /// Whether a driver's position is older than every verdict of the partition: it is of topics that were deleted.
    private func isEarlier(_ receivedAt: Int64?, _ partition: Int32) -> Bool {
        guard let receivedAt else { return false }
        return oldest[partition].map { receivedAt < $0 } ?? true
    }

    /// Reads fields of many hashes and hands them over.
    private func ask<Value>(
        _ keys: [String: Value], _ kind: String, _ fields: [String], _ body: (String, Value, [String?]) throws -> Void
    ) throws {
        let all = keys.sorted { $0.key < $1.key }
        for start in stride(from: 0, to: all.count, by: Self.pipelined) {
            try check()
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
}
