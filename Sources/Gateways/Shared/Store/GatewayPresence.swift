import Logging
import Redis
import Runtime

/// Announcement of a running gateway in Redis, for `sightline topics recreate`.
///
/// The command cannot find gateways in Kafka, because they join no consumer group. Used on the thread of the
/// ``RedisExecutor``.
struct GatewayPresence: Sendable {
    private static let interval = Duration.seconds(10)
    /// Lifetime of an announcement; longer than two intervals, so that a late renewal does not hide the gateway.
    static let lifetime = Duration.seconds(30)

    private let key: String
    private let value: String
    private let logger: Logger
    private var nextAnnouncement = ContinuousClock.now
    private var hasFailed = false

    init(name: String, keyPrefix: String, logger: Logger) {
        let instance = String(UInt64.random(in: 0...UInt64.max), radix: 36)
        key = "\(keyPrefix)gateway:\(instance)"
        var writer = MessageWriter()
        writer.text("name", name)
        writer.text("started_at", WallClock.text(WallClock.milliseconds()))
        value = writer.finished
        self.logger = logger
    }

    /// Announces the gateway if due; returns whether the connection is still usable.
    mutating func announce(over connection: RedisConnection) -> Bool {
        guard ContinuousClock.now >= nextAnnouncement else { return true }
        nextAnnouncement = .now + Self.interval
        do {
            try write(lifetime: Self.lifetime, over: connection)
            hasFailed = false
        } catch {
            if !hasFailed {
                logger.warning(
                    "Cannot announce the gateway in Redis; `topics recreate` will not see it.",
                    metadata: .of([.error: "\(error)"]))
            }
            hasFailed = true
            return !error.endsConnection
        }
        return true
    }

    /// Expires the announcement at once, with `SET`, because the gateway may have no permission for `DEL`.
    func withdraw(over connection: RedisConnection) { try? write(lifetime: .milliseconds(1), over: connection) }

    private func write(lifetime: Duration, over connection: RedisConnection) throws(RedisError) {
        try connection.call("SET", key, value, "PX", "\(lifetime.wholeMilliseconds)")
    }
}
