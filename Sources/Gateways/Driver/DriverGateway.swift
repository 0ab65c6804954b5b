import Hummingbird
import Kafka
import Logging
import Model
import NIOCore
import NIOPosix
import Redis
import Runtime
import ServiceLifecycle

/// The upstream gateway: drivers' devices connect, and what they send is written to Kafka.
///
/// Five kinds of threads: the event loops with the devices' connections, which queue records, one that hands the
/// producer's delivery reports back to them (``DeliveryLoop``), one that reads the warnings for their drivers
/// (``PartitionIntake``), one that reads their trips (``TripFollower``), and one that keeps in Redis what comes of trips
/// without a driver (``RedisExecutor``).
package final class DriverGateway: WorkerService {
    static let socketPath = "/drivers/realtime"

    package let status: WorkerStatus
    private let frame: WorkerContext
    private let settings: DriverGatewaySettings
    private let tokens: TokenVerifier
    private let gate: TokenGate
    private let addresses: AddressLimits
    private let metrics = DriverMetrics()
    private let warnings: PartitionIntake<WarningIntakeReader>
    private let trips: TripFollower
    private let desk: RedisExecutor
    private let heldRequests: HeldConnections
    private let hubs: [DriverConnectionRegistry]
    private let group = MultiThreadedEventLoopGroup.singleton

    /// Makes a gateway that listens once it runs.
    ///
    /// `keyPrefix`: what comes before the keys of Redis.
    package init(
        names: TopicNames, kafka: KafkaConfiguration, redis: RedisConfiguration, keyPrefix: String,
        settings: DriverGatewaySettings, tokens: TokenVerifier, logger: Logger
    ) {
        let frame = WorkerContext(
            name: "driver-gateway", inputs: [PipelineTopic.warnings.rawValue, PipelineTopic.trips.rawValue],
            outputs: [PipelineTopic.rawLocations.rawValue, PipelineTopic.trips.rawValue], names: names, kafka: kafka,
            logger: logger)
        self.frame = frame
        self.settings = settings
        self.tokens = tokens
        addresses = AddressLimits(settings.addressLimit, header: settings.addressHeader)
        status = frame.status
        let gate = TokenGate(tokens)
        self.gate = gate
        let loops = Array(group.makeIterator())
        warnings = PartitionIntake(frame: frame, loops: loops)
        trips = TripFollower(frame)
        // Whether Redis answers does not matter to `/readyz`: devices and trips with a driver do not need it.
        desk = RedisExecutor(
            redis, keyPrefix: keyPrefix,
            presence: GatewayPresence(name: "driver-gateway", keyPrefix: keyPrefix, logger: frame.logger),
            consequence: "events of trips without a driver are answered with 503 until it does.", logger: frame.logger,
            control: frame.control)
        let requests = RequestStore(desk: desk, keyPrefix: keyPrefix)
        let connections = settings.connections
        let heldSockets = HeldConnections(limit: connections.userConnections, silence: connections.pingSilence)
        heldRequests = HeldConnections(limit: connections.userConnections, silence: nil)
        hubs = loops.enumerated().map { [metrics, warnings, trips] number, loop in
            DriverConnectionRegistry(
                loop, number: number, settings: settings, tokens: gate, heldSockets: heldSockets,
                warnings: warnings, trips: trips, requests: requests, metrics: metrics)
        }
    }

    /// What runs, in the order in which it starts: devices are told of a stop before the producer is flushed.
    package var services: [any Service] { [self, server] }

    /// Writes for the devices until the service group shuts down.
    /// - Throws: ``WorkerError`` when the gateway cannot continue.
    package func run() async throws {
        for hub in hubs { hub.loop.execute { hub.start() } }
        try await withTaskCancellationHandler {
            try await withGracefulShutdownHandler {
                async let delivering: Void = WorkerThread.run { [self] in
                    defer { status.setStopped() }
                    try work(deliver)
                }
                async let reading: Void = WorkerThread.run { [self] in try work(readWarnings) }
                async let following: Void = WorkerThread.run { [self] in try work(followTrips) }
                async let keeping: Void = WorkerThread.run { [self] in desk.run() }
                async let renewing: Void = KeyRenewal(tokens, control: frame.control, logger: frame.logger).run()
                _ = try await (delivering, reading, following, keeping, renewing)
            } onGracefulShutdown: { [frame] in
                frame.control.give(.stop)
            }
        } onCancel: { [frame] in
            frame.control.give(.stop)
        }
    }

    /// Does the work of a thread; without either of them the gateway cannot continue.
    private func work(_ body: () throws -> Void) throws {
        defer { frame.control.give(.stop) }
        do { try body() } catch let error as WorkerError {
            status.fail(error, frame.logger)
            throw error
        }
    }

    /// The work of the producer's thread.
    private func deliver() throws {
        guard let partitions = try TopicCheck.wait(frame) else { return }
        trips.begin(partitions: partitions)
        var loop = try DeliveryLoop(frame: frame, hubs: hubs, partitions: partitions, metrics: metrics)
        try loop.run()
    }

    /// The work of the thread that reads warnings; it is asked for none before the topics are known.
    private func readWarnings() throws {
        let hubs = hubs
        try warnings.run(restart: { loop, partition in hubs[loop].restartWarnings(of: partition) }) {
            loop, deliveries in hubs[loop].tell(deliveries)
        }
    }

    /// The work of the thread that reads trips.
    private func followTrips() throws {
        let hubs = hubs
        try trips.run { changes in
            for hub in hubs { hub.loop.execute { hub.follow(changes) } }
        }
    }

    /// What listens for devices.
    private var server: some Service {
        let sockets = SocketGate(
            path: Self.socketPath, maximumMessageBytes: settings.maximumMessageBytes, hubs, gate, addresses)
        let routes = DriverRoutes(
            hubs: hubs, tokens: gate, addresses: addresses, heldRequests: heldRequests, bodies: LargeBodies(),
            settings: settings)
        return ClientServer(
            settings: settings.connections, responder: routes.router.buildResponder(), sockets: sockets, group: group,
            logger: frame.logger)
    }
}
