import Logging
import Redis
import Runtime

/// Announces in Redis that a gateway runs: gateways are in no consumer group where `topics recreate` could find them.
///
/// Belongs to the thread of its desk.
struct GatewayPresence: Sendable {
    private static let interval = Duration.seconds(10)
    /// Longer than two announcements are apart, so that a slow one does not hide the gateway.
    static let lifetime = Duration.seconds(30)

    private let key: String
    private let value: String
    private let logger: Logger
    private var nextAnnouncement = ContinuousClock.now
    private var isRefused = false

    /// `name`: the program's.
    init(name: String, keyPrefix: String, logger: Logger) {
        let instance = String(UInt64.random(in: 0...UInt64.max), radix: 36)
        key = "\(keyPrefix)gateway:\(instance)"
        var writer = MessageWriter()
        writer.text("name", name)
        writer.text("started_at", WallClock.text(WallClock.milliseconds()))
        value = writer.finished
        self.logger = logger
    }

    /// Announces the gateway where that is due.
    /// - Returns: whether the connection is still of use.
    mutating func announce(over connection: RedisConnection) -> Bool {
        guard ContinuousClock.now >= nextAnnouncement else { return true }
        nextAnnouncement = .now + Self.interval
        do {
            try write(lifetime: Self.lifetime, over: connection)
            isRefused = false
        } catch {
            if !isRefused {
                logger.warning(
                    "The gateway cannot announce itself in Redis; `sightline topics recreate` will not see it.",
                    metadata: .of([.error: "\(error)"]))
            }
            isRefused = true
            return !error.endsConnection
        }
        return true
    }

    /// Lets the announcement expire at once, which takes no right beyond SET.
    func withdraw(over connection: RedisConnection) { try? write(lifetime: .milliseconds(1), over: connection) }

    private func write(lifetime: Duration, over connection: RedisConnection) throws(RedisError) {
        try connection.call("SET", key, value, "PX", "\(lifetime.wholeMilliseconds)")
    }
}
