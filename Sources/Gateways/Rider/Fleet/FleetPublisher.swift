import Logging
import NIOCore
import Redis
import Runtime
import Synchronization

/// Publisher of the fleet, which reads the known drivers from Redis once a second while an operator is subscribed.
///
/// Every fifth read first scans for new drivers. Uses a separate thread and connection, so that riders do not wait for
/// these reads.
final class FleetPublisher: Sendable {
    /// Name of the channel; clients need a token with ``scope``.
    static let channel = "fleet"
    static let scope = "fleet"
    private static let interval = Duration.seconds(1)
    /// The driver ids are scanned again every this many reads.
    private static let readsPerScan = 5

    private let configuration: RedisConfiguration
    private let repository: FleetRepository
    private let control: WorkerControl
    private let logger: Logger
    private let subscribers = Atomic(0)
    /// Whether a new subscriber waits for a snapshot with all drivers.
    private let isFullSnapshotRequested = Atomic(false)

    init(_ configuration: RedisConfiguration, keyPrefix: String, control: WorkerControl, logger: Logger) {
        self.configuration = configuration
        repository = FleetRepository(keyPrefix: keyPrefix)
        self.control = control
        self.logger = logger
    }

    func addSubscriber() { subscribers.add(1, ordering: .relaxed) }
    /// Includes all drivers in the next snapshot; call it after registering the subscriber that needs them.
    func requestFullSnapshot() { isFullSnapshotRequested.store(true, ordering: .releasing) }
    func removeSubscriber() { subscribers.subtract(1, ordering: .relaxed) }

    /// Publishes until shutdown; blocks the calling thread.
    ///
    /// - Parameter publish: receives each snapshot on the calling thread.
    func run(publish: (FleetSnapshot) -> Void) {
        var connection: RedisConnection?
        var drivers: [String: FleetDriver] = [:]
        var ids: Set<String> = []
        var reads = 0
        while control.pause(for: Self.interval) {
            guard subscribers.load(ordering: .relaxed) > 0 else {
                // The next subscriber gets the drivers that are new by then.
                reads = 0
                continue
            }
            do {
                let open = try connection ?? RedisConnection(configuration)
                connection = open
                if reads % Self.readsPerScan == 0 { ids = try repository.ids(over: open) }
                reads += 1
                let now = try repository.drivers(ids, over: open)
                let hasAll = isFullSnapshotRequested.exchange(false, ordering: .acquiring)
                publish(FleetSnapshot(now, before: drivers, hasAll: hasAll, at: WallClock.milliseconds()))
                drivers = now
            } catch {
                if connection != nil {
                    logger.warning("Failed to read the fleet; retrying.", metadata: .of([.error: "\(error)"]))
                }
                (connection, reads) = (nil, 0)
            }
        }
    }
}

/// WebSocket frames with the state of the fleet at one time.
struct FleetSnapshot: Sendable {
    /// All known drivers, for new subscribers; `nil` if no subscriber is new.
    let all: ByteBuffer?
    /// Drivers that changed since the previous snapshot, and ids of drivers that disappeared.
    let changes: ByteBuffer

    /// Encodes the changes, and ``all`` only if `hasAll`, because it is expensive.
    init(_ drivers: [String: FleetDriver], before: [String: FleetDriver], hasAll: Bool, at milliseconds: Int64) {
        all = hasAll ? Self.all(drivers, at: milliseconds) : nil
        let changed = drivers.values.filter { before[$0.id] != $0 }.sorted { $0.id < $1.id }
        var changes = MessageWriter(type: "fleet_positions")
        changes.text("channel", FleetPublisher.channel)
        changes.text("timestamp", WallClock.text(milliseconds))
        changes.list("drivers", json: changed.map(\.json))
        changes.texts("gone", before.keys.filter { drivers[$0] == nil }.sorted())
        self.changes = WebSocketText.frame(changes.buffer)
    }

    private static func all(_ drivers: [String: FleetDriver], at milliseconds: Int64) -> ByteBuffer {
        var message = MessageWriter(type: "subscribed")
        message.text("channel", FleetPublisher.channel)
        message.text("timestamp", WallClock.text(milliseconds))
        message.object("snapshot", body(drivers))
        return WebSocketText.frame(message.buffer)
    }

    /// Encodes all drivers as in the response of `GET /fleet`.
    static func body(_ drivers: [String: FleetDriver]) -> MessageWriter {
        var writer = MessageWriter()
        writer.list("drivers", json: drivers.values.sorted { $0.id < $1.id }.map(\.json))
        return writer
    }
}
