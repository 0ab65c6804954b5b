import Domain
import Hummingbird
import Kafka
import Logging
import NIOCore
import NIOPosix
import Redis
import Runtime
import ServiceLifecycle

/// Gateway for drivers' devices, whose messages it writes to Kafka.
///
/// Threads: the event loops of the connections, which queue records; one for the producer's delivery reports
/// (``DeliveryLoop``); one that reads warnings (``PartitionIntake``); one that reads trips (``TripTracker``); and one
/// that stores trips without a driver in Redis (``RedisExecutor``).
final class DriverGateway: WorkerService {
    static let socketPath = "/drivers/realtime"

    let status: WorkerStatus
    private let context: WorkerContext
    private let settings: DriverGatewaySettings
    private let tokens: TokenVerifier
    private let gate: TokenGate
    private let addresses: AddressLimits
    private let metrics = DriverMetrics()
    private let warnings: PartitionIntake<WarningIntakeReader>
    private let trips: TripTracker
    private let executor: RedisExecutor
    private let requestLimiter: ConnectionLimiter
    private let registries: [DriverConnectionRegistry]
    private let group = MultiThreadedEventLoopGroup.singleton

    /// Creates a gateway; `keyPrefix` is the prefix of its Redis keys.
    init(
        names: TopicNames, kafka: KafkaConfiguration, redis: RedisConfiguration, keyPrefix: String,
        settings: DriverGatewaySettings, tokens: TokenVerifier, logger: Logger
    ) {
        let context = WorkerContext(
            name: "driver-gateway", inputs: [PipelineTopic.warnings.rawValue, PipelineTopic.trips.rawValue],
            outputs: [PipelineTopic.rawLocations.rawValue, PipelineTopic.trips.rawValue], names: names, kafka: kafka,
            logger: logger)
        self.context = context
        self.settings = settings
        self.tokens = tokens
        addresses = AddressLimits(settings.addressLimit, header: settings.addressHeader)
        status = context.status
        let gate = TokenGate(tokens)
        self.gate = gate
        let loops = Array(group.makeIterator())
        warnings = PartitionIntake(context: context, loops: loops)
        trips = TripTracker(context)
        // `/readyz` does not depend on Redis: only trips without a driver need it.
        executor = RedisExecutor(
            redis, keyPrefix: keyPrefix,
            presence: GatewayPresence(name: "driver-gateway", keyPrefix: keyPrefix, logger: context.logger),
            consequence: "events of trips without a driver get 503.", logger: context.logger,
            control: context.control)
        let requests = RequestStore(executor: executor, keyPrefix: keyPrefix)
        let connections = settings.connections
        let socketLimiter = ConnectionLimiter(limit: connections.userConnections, idleTimeout: connections.pingTimeout)
        requestLimiter = ConnectionLimiter(limit: connections.userConnections, idleTimeout: nil)
        registries = loops.enumerated().map { [metrics, warnings, trips] number, loop in
            DriverConnectionRegistry(
                loop, number: number, settings: settings, tokens: gate, socketLimiter: socketLimiter,
                warnings: warnings, trips: trips, requests: requests, metrics: metrics)
        }
    }

    /// Services in the order of their start; on shutdown, the server stops before the producer is flushed.
    var services: [any Service] { [self, server] }

    /// Runs until the service group shuts down.
    /// - Throws: ``WorkerError`` if the gateway cannot continue.
    func run() async throws {
        for registry in registries { registry.loop.execute { registry.start() } }
        try await withTaskCancellationHandler {
            try await withGracefulShutdownHandler {
                async let delivering: Void = WorkerThread.run { [self] in
                    defer { status.setStopped() }
                    try work(deliver)
                }
                async let reading: Void = WorkerThread.run { [self] in try work(readWarnings) }
                async let tracking: Void = WorkerThread.run { [self] in try work(trackTrips) }
                async let storing: Void = WorkerThread.run { [self] in executor.run() }
                async let renewing: Void = KeyFileReloader(
                    verifier: tokens, control: context.control, logger: context.logger
                )
                .run()
                _ = try await (delivering, reading, tracking, storing, renewing)
            } onGracefulShutdown: { [context] in
                context.control.request(.stop)
            }
        } onCancel: { [context] in
            context.control.request(.stop)
        }
    }

    /// Runs a thread's work; the gateway stops when any of them ends.
    private func work(_ body: () throws -> Void) throws {
        defer { context.control.request(.stop) }
        do { try body() } catch let error as WorkerError {
            status.fail(error, context.logger)
            throw error
        }
    }

    private func deliver() throws {
        guard let partitions = try TopicCheck.wait(context) else { return }
        trips.begin(partitions: partitions)
        var loop = try DeliveryLoop(context: context, registries: registries, partitions: partitions, metrics: metrics)
        try loop.run()
    }

    /// Work of the thread that reads warnings; it has nothing to read before the topics are known.
    private func readWarnings() throws {
        let registries = registries
        try warnings.run(restart: { loop, partition in registries[loop].restartWarnings(of: partition) }) {
            loop, deliveries in registries[loop].sendWarnings(deliveries)
        }
    }

    private func trackTrips() throws {
        let registries = registries
        try trips.run { changes in
            for registry in registries { registry.loop.execute { registry.updateTrips(changes) } }
        }
    }

    private var server: some Service {
        let sockets = SocketGate(
            path: Self.socketPath, maximumMessageBytes: settings.maximumMessageBytes, registries, gate, addresses)
        let routes = DriverRoutes(
            registries: registries, tokens: gate, addresses: addresses, requestLimiter: requestLimiter,
            bodies: LargeBodies(),
            settings: settings)
        return ClientServer(
            settings: settings.connections, responder: routes.router.buildResponder(), sockets: sockets, group: group,
            logger: context.logger)
    }
}
