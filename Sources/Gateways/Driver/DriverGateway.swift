import Codec
import CoreMetrics
import Runtime
import ServiceLifecycle

/// Gateway that writes the messages of drivers' devices and of the trip service to Kafka.
///
/// Threads: the event loops of the connections, which queue records; one for the producer's delivery reports
/// (``DeliveryLoop``); one that reads warnings (``PartitionIntake``); one that reads trips (``TripTracker``); and one
/// that stores trips without a driver in Redis (``RedisExecutor``).
final class DriverGateway: WorkerService {
    static let socketPath = "/drivers/realtime"

    private let environment: GatewayEnvironment
    private let shared: DriverShared
    private let executor: RedisExecutor
    private let registries: [DriverConnectionRegistry]

    init(_ parts: WorkerProcess.Parts) throws {
        let settings = parts.settings.driverGateway
        let environment = try GatewayEnvironment(
            parts, .driverGateway, inputs: [.warnings, .trips], outputs: [.rawLocations, .trips],
            connections: settings.connections)
        self.environment = environment
        let loops = environment.loops
        // `/readyz` does not depend on Redis: only trips without a driver need it.
        executor = environment.executor(consequence: "events of trips without a driver get 503.")
        let shared = DriverShared(
            settings: settings, tokens: environment.tokens,
            socketLimiter: ConnectionLimiter(
                limit: settings.connections.userConnections, idleTimeout: settings.connections.pingTimeout),
            warnings: PartitionIntake(context: environment.context, loops: loops),
            trips: TripTracker(environment.context),
            requests: RequestStore(executor: executor, keyPrefix: environment.keyPrefix))
        self.shared = shared
        registries = loops.enumerated().map { DriverConnectionRegistry($1, number: $0, shared) }
    }

    var status: WorkerStatus { environment.context.status }

    /// Services in the order of their start; on shutdown, the server stops before the producer is flushed.
    var services: [any Service] { [self, server] }

    /// Runs until the service group shuts down.
    /// - Throws: ``WorkerError`` if the gateway cannot continue.
    func run() async throws {
        try await environment.run(
            registries,
            threads: [
                { [self] in try deliver() }, { [self] in try readWarnings() }, { [self] in try trackTrips() },
                { [executor] in executor.run() },
            ])
    }

    private func deliver() throws {
        guard let partitions = try TopicCheck.wait(environment.context) else { return }
        shared.trips.begin(partitions: partitions)
        var loop = try DeliveryLoop(
            context: environment.context, registries: registries, partitions: partitions, metrics: shared.metrics)
        try loop.run()
    }

    /// Reads warnings on a dedicated thread, which is idle until the number of partitions is known.
    private func readWarnings() throws {
        let registries = registries
        try shared.warnings.run(restart: { loop, partition in registries[loop].restartWarnings(of: partition) }) {
            loop, deliveries in registries[loop].sendWarnings(deliveries)
        }
    }

    private func trackTrips() throws {
        let registries = registries
        try shared.trips.run { changes in
            for registry in registries { registry.loop.execute { registry.updateTrips(changes) } }
        }
    }

    private var server: some Service {
        let settings = shared.settings
        let routes = DriverRoutes(
            registries: registries, tokens: environment.tokens, addresses: environment.addresses,
            requestLimiter: ConnectionLimiter(limit: settings.connections.userConnections, idleTimeout: nil),
            bodies: LargeBodies(), settings: settings)
        return environment.server(
            path: Self.socketPath, maximumMessageBytes: settings.maximumMessageBytes, registries, routes.router)
    }
}

/// Settings of driver-gateway.
struct DriverGatewaySettings: Sendable {
    var connections = ConnectionSettings(port: 8081, portKey: "SIGHTLINE_DRIVER_PORT")
    var driverLimit = RateLimit(count: 10, periodMilliseconds: 1000, burst: 60)
    /// Maximum number of unacknowledged records per WebSocket; reading pauses at the limit.
    var windowRecords = 64
    /// Time limit of an HTTP request until all its records are acknowledged.
    var acknowledgementTimeout = Duration.seconds(10)
    /// Maximum size of a message or request body, in bytes: the largest record that location-worker reads.
    var maximumMessageBytes = RawLimits.batchBytes
}

final class DriverMetrics: Sendable {
    enum Outcome: String, CaseIterable {
        case acknowledged, refused, limited, failed
    }

    let sockets = SocketMetrics()
    let unacknowledged = Meter(.gatewayUnacknowledged)
    let warnings = Counter(.gatewayEvents)
    private let messages = LabeledCounters<Outcome> { Counter(.gatewayDeviceMessages, [(.outcome, $0.rawValue)]) }

    init() { unacknowledged.set(0) }

    func count(_ outcome: Outcome) { messages.increment(outcome) }
}
