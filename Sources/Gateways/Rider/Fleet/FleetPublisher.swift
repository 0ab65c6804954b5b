import Logging
import Redis
import Runtime
import Synchronization

/// Shows operators the whole fleet: while any client watches, all drivers are read from Redis once a second.
///
/// One thread and one connection of its own, so that riders do not wait for it.
final class FleetPublisher: Sendable {
    /// The channel that clients with the scope ``scope`` may watch.
    static let channel = "fleet"
    static let scope = "fleet"
    private static let interval = Duration.seconds(1)
    /// Looks between two searches for drivers that are new.
    private static let looksBetweenSearches = 5

    private let configuration: RedisConfiguration
    private let reader: FleetRepository
    private let control: WorkerControl
    private let logger: Logger
    private let watchers = Atomic(0)
    /// Whether a client waits for all drivers.
    private let isAllAskedFor = Atomic(false)

    init(_ configuration: RedisConfiguration, keyPrefix: String, control: WorkerControl, logger: Logger) {
        self.configuration = configuration
        reader = FleetRepository(keyPrefix: keyPrefix)
        self.control = control
        self.logger = logger
    }

    func beginWatching() { watchers.add(1, ordering: .relaxed) }
    /// Has the next picture have all drivers; comes after the client is noted as one that waits for them.
    func askForAll() { isAllAskedFor.store(true, ordering: .releasing) }
    func endWatching() { watchers.subtract(1, ordering: .relaxed) }

    /// Works until told to stop; for a thread of its own.
    ///
    /// `publish`: gets each picture, on this thread.
    func run(publish: (FleetSnapshot) -> Void) {
        var connection: RedisConnection?
        var drivers: [String: FleetDriver] = [:]
        var ids: Set<String> = []
        var looks = 0
        while control.pause(for: Self.interval) {
            guard watchers.load(ordering: .relaxed) > 0 else { continue }
            do {
                let open = try connection ?? RedisConnection(configuration)
                connection = open
                if looks % Self.looksBetweenSearches == 0 { ids = try reader.ids(over: open) }
                looks += 1
                let now = try reader.drivers(ids, over: open)
                let hasAll = isAllAskedFor.exchange(false, ordering: .acquiring)
                publish(FleetSnapshot(now, before: drivers, hasAll: hasAll, at: WallClock.milliseconds()))
                drivers = now
            } catch {
                if connection != nil {
                    logger.warning("The fleet cannot be read for now.", metadata: .of([.error: "\(error)"]))
                }
                (connection, looks) = (nil, 0)
            }
        }
    }
}
