import Domain
import Hummingbird
import Kafka
import Logging
import NIOCore
import NIOPosix
import Redis
import Runtime
import ServiceLifecycle

/// Serves riders, operators and dispatchers over WebSockets and HTTP.
///
/// Threads: event loops for the connections, one consumer of the partitions of `rider.updates` that clients need
/// (``PartitionIntake``), two for Redis, of riders and of operators and dispatchers (``RedisExecutor``), and one that
/// reads the fleet (``FleetPublisher``).
final class RiderGateway: WorkerService {
    static let socketPath = "/realtime"

    let status: WorkerStatus
    private let context: WorkerContext
    private let settings: RiderGatewaySettings
    private let tokens: TokenVerifier
    private let gate: TokenGate
    private let store: RedisExecutor
    private let operatorStore: RedisExecutor
    private let users: UserLimits
    private let keyPrefix: String
    private let intake: PartitionIntake<UpdateIntakeReader>
    private let fleet: FleetPublisher
    private let addresses: AddressLimits
    private let registries: [RiderConnectionRegistry]
    private let group = MultiThreadedEventLoopGroup.singleton

    /// `keyPrefix`: prefix of all Redis keys.
    init(
        names: TopicNames, kafka: KafkaConfiguration, redis: RedisConfiguration, keyPrefix: String,
        settings: RiderGatewaySettings, tokens: TokenVerifier, logger: Logger
    ) {
        let topic = PipelineTopic.riderUpdates.rawValue
        let context = WorkerContext(
            name: "rider-gateway", inputs: [topic], names: names, kafka: kafka, logger: logger)
        self.context = context
        self.settings = settings
        self.tokens = tokens
        self.keyPrefix = keyPrefix
        status = context.status
        store = RedisExecutor(
            redis, keyPrefix: keyPrefix, topic: topic,
            presence: GatewayPresence(name: "rider-gateway", keyPrefix: keyPrefix, logger: context.logger),
            consequence: "clients cannot subscribe.", logger: context.logger, control: context.control)
        operatorStore = RedisExecutor(
            redis, keyPrefix: keyPrefix, consequence: "operators and dispatchers get 503.",
            logger: context.logger, control: context.control)
        fleet = FleetPublisher(redis, keyPrefix: keyPrefix, control: context.control, logger: context.logger)
        let loops = Array(group.makeIterator())
        intake = PartitionIntake(context: context, loops: loops)
        let metrics = RiderMetrics()
        let gate = TokenGate(tokens)
        self.gate = gate
        addresses = AddressLimits(settings.addressLimit, header: settings.addressHeader)
        let users = UserLimits(settings.connections)
        self.users = users
        registries = loops.enumerated().map { [intake, store, fleet] number, loop in
            RiderConnectionRegistry(
                loop, number: number, intake: intake, store: store, fleet: fleet, settings: settings, tokens: gate,
                users: users, metrics: metrics)
        }
    }

    /// In start order; they stop in reverse, so that the server notifies its clients before the rest stops.
    var services: [any Service] { [self, server] }

    /// Runs until the service group shuts down.
    /// - Throws: ``WorkerError`` if the gateway cannot continue.
    func run() async throws {
        for registry in registries { registry.loop.execute { registry.start() } }
        let keys = KeyFileReloader(verifier: tokens, control: context.control, logger: context.logger)
        try await withTaskCancellationHandler {
            try await withGracefulShutdownHandler {
                async let reading: Void = WorkerThread.run { [self] in try read() }
                async let storing: Void = WorkerThread.run { [self] in store.run() }
                async let operating: Void = WorkerThread.run { [self] in operatorStore.run() }
                async let publishing: Void = WorkerThread.run { [self] in publishFleet() }
                async let renewing: Void = keys.run()
                _ = try await (reading, storing, operating, publishing, renewing)
            } onGracefulShutdown: { [context] in
                context.control.request(.stop)
            }
        } onCancel: { [context] in
            context.control.request(.stop)
        }
    }

    /// Runs the intake on its thread.
    private func read() throws {
        defer {
            context.control.request(.stop)
            status.setStopped()
        }
        do {
            guard let partitions = try TopicCheck.wait(context) else { return }
            store.setPartitionCount(partitions)
            status.setReady()
            let registries = registries
            try intake.run(beat: status.beat, restart: { loop, partition in registries[loop].restart(partition) }) {
                loop, deliveries in registries[loop].deliver(deliveries)
            }
        } catch let error as WorkerError {
            status.fail(error, context.logger)
            throw error
        }
    }

    /// Runs the fleet publisher on its thread.
    private func publishFleet() {
        fleet.run { snapshot in
            for registry in registries { registry.loop.execute { registry.publish(snapshot) } }
        }
    }

    /// Listens for clients.
    private var server: some Service {
        let sockets = SocketGate(
            path: Self.socketPath, maximumMessageBytes: ClientMessage.maximumBytes, registries, gate, addresses)
        let admission = RequestAdmission(tokens: gate, users: SharedLimits(settings.userLimit, .user))
        let routes = RiderRoutes(
            channels: ChannelRequests(store: store, admission: admission, users: users), operatorStore: operatorStore,
            streams: StreamOpener(registries), addresses: addresses, keyPrefix: keyPrefix, settings: settings)
        return ClientServer(
            settings: settings.connections, responder: routes.router.buildResponder(), sockets: sockets, group: group,
            logger: context.logger)
    }
}
