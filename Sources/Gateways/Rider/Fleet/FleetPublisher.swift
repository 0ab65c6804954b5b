import Logging
import Redis
import Runtime
import Synchronization

/// Reads all drivers from Redis once a second, while any operator is subscribed.
///
/// Uses a separate thread and connection, so that riders do not wait for it.
final class FleetPublisher: Sendable {
    /// The channel's name; clients need a token with ``scope``.
    static let channel = "fleet"
    static let scope = "fleet"
    private static let interval = Duration.seconds(1)
    /// Reads between two scans for new drivers.
    private static let readsBetweenScans = 5

    private let configuration: RedisConfiguration
    private let repository: FleetRepository
    private let control: WorkerControl
    private let logger: Logger
    private let subscribers = Atomic(0)
    /// Whether a new subscriber waits for all drivers.
    private let isFullSnapshotRequested = Atomic(false)

    init(_ configuration: RedisConfiguration, keyPrefix: String, control: WorkerControl, logger: Logger) {
        self.configuration = configuration
        repository = FleetRepository(keyPrefix: keyPrefix)
        self.control = control
        self.logger = logger
    }

    func addSubscriber() { subscribers.add(1, ordering: .relaxed) }
    /// Includes all drivers in the next snapshot; call it after the client is registered as a subscriber.
    func requestFullSnapshot() { isFullSnapshotRequested.store(true, ordering: .releasing) }
    func removeSubscriber() { subscribers.subtract(1, ordering: .relaxed) }

    /// Runs until the worker stops, and blocks the calling thread.
    ///
    /// - Parameter publish: receives each snapshot on this thread.
    func run(publish: (FleetSnapshot) -> Void) {
        var connection: RedisConnection?
        var drivers: [String: FleetDriver] = [:]
        var ids: Set<String> = []
        var reads = 0
        while control.pause(for: Self.interval) {
            guard subscribers.load(ordering: .relaxed) > 0 else { continue }
            do {
                let open = try connection ?? RedisConnection(configuration)
                connection = open
                if reads % Self.readsBetweenScans == 0 { ids = try repository.ids(over: open) }
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
