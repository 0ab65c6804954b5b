import Domain
import PositionWorker
import Redis
import Support

/// A comparison of Redis with its topics: the last position of each driver, the last update of each trip and route.
///
/// Use on one thread only.
final class PositionAudit {
    private static let commandsPerRequest = 1000
    private let connection: RedisConnection
    private let configuration: PositionSinkConfiguration
    private var commands = RedisCommands()
    /// Hashes of the ids of all drivers with a position in the verdicts of the audited partitions.
    private var known: Set<UInt64> = []
    private var scopes: [Int32: PartitionScope] = [:]
    /// The earliest receipt time in the verdicts of each partition, in epoch milliseconds.
    private var oldest: [Int32: Int64] = [:]
    private let comparison: PositionComparison
    private let check: () throws -> Void

    /// Connects to Redis; `check` is called before each request, and can throw to stop.
    init(
        _ configuration: PositionSinkConfiguration, _ checks: AuditChecks, now: Timestamp,
        check: @escaping () throws -> Void
    ) throws {
        self.configuration = configuration
        self.check = check
        connection = try RedisConnection(configuration.redis)
        comparison = PositionComparison(configuration, checks, now: now)
    }

    /// Compares the drivers of a partition.
    ///
    /// `due`: records of driver.locations from this offset on need not be stored yet.
    func compareDrivers(_ verdicts: VerdictStream, _ scope: PartitionScope, due: Int64) throws {
        scopes[scope.partition] = scope
        oldest[scope.partition] = verdicts.oldestReceivedAt
        for driver in verdicts.positions.keys { known.insert(Self.hash(driver)) }
        try query(verdicts.positions, "driver:", ExpectedPosition.fields) { driver, position, stored in
            try comparison.compare(
                driver, position, stored, isDue: position.offset < due, isRiskDue: position.risk.offset < due, scope)
        }
    }

    /// Compares the channels of a partition.
    ///
    /// `due`: records of rider.updates from this offset on need not be stored yet.
    func compareChannels(_ states: [String: ChannelState], partition: Int32, due: Int64) throws {
        try query(states, "", ChannelState.fields(partition: partition)) { channel, state, stored in
            comparison.compare(channel, state, stored, isDue: state.offset < due)
        }
    }

    /// Searches Redis for drivers without a position in the verdicts of the audited partitions.
    ///
    /// `progress`: called for each page of keys.
    func findForeignDrivers(progress: () -> Void) throws {
        let prefix = "\(configuration.keyPrefix)driver:"
        try check()
        try connection.scan(prefix: prefix, "*") { keys in
            try check()
            progress()
            var unknown: [String: Void] = [:]
            for key in keys where !key.hasSuffix(":trail") {
                let driver = String(key.dropFirst(prefix.count))
                if !known.contains(Self.hash(driver)) { unknown[driver] = () }
            }
            try query(unknown, "driver:", ["event_id", "received_at"]) { driver, _, stored in
                guard let event = stored[0].flatMap({ EventID($0) }), let scope = scopes[event.partition] else {
                    return
                }
                let receivedAt = stored[1].flatMap { Int64($0) }
                try comparison.compareUnknown(
                    driver, event, scope, isEarlier: isEarlier(receivedAt, event.partition))
            }
        }
    }

    /// Returns whether a position is older than all verdicts of the partition, and so from deleted topics.
    private func isEarlier(_ receivedAt: Int64?, _ partition: Int32) -> Bool {
        guard let receivedAt else { return false }
        return oldest[partition].map { receivedAt < $0 } ?? true
    }

    /// Reads fields of many hashes and calls `body` with each.
    private func query<Value>(
        _ keys: [String: Value], _ kind: String, _ fields: [String], _ body: (String, Value, [String?]) throws -> Void
    ) throws {
        let all = keys.sorted { $0.key < $1.key }
        for start in stride(from: 0, to: all.count, by: Self.commandsPerRequest) {
            try check()
            let page = all[start..<min(start + Self.commandsPerRequest, all.count)]
            for entry in page {
                commands.begin("HMGET", arguments: 1 + fields.count)
                commands.add("\(configuration.keyPrefix)\(kind)\(entry.key)")
                for field in fields { commands.add(field) }
            }
            try connection.send(&commands)
            for entry in page { try body(entry.key, entry.value, try connection.receive().elements.map(\.text)) }
        }
    }

    private static func hash(_ driver: String) -> UInt64 { ByteSlice.withBytes(of: driver) { $0.stableHash } }
}
