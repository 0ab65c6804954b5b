import Hummingbird
import Kafka
import Logging
import Model
import NIOCore
import NIOPosix
import Redis
import Runtime
import ServiceLifecycle

/// The downstream gateway: riders connect, and get what is published for what they watch.
///
/// Four kinds of threads: the event loops with the clients' connections, one that reads the partitions of
/// `rider.updates` that the clients need (``PartitionIntake``), those that ask Redis, one for riders and one for operators
/// and dispatchers (``RedisExecutor``), and one that reads the fleet (``FleetPublisher``).
package final class RiderGateway: WorkerService {
    static let socketPath = "/realtime"

    package let status: WorkerStatus
    private let frame: WorkerContext
    private let settings: RiderGatewaySettings
    private let tokens: TokenVerifier
    private let gate: TokenGate
    private let desk: RedisExecutor
    private let operators: RedisExecutor
    private let users: UserLimits
    private let keyPrefix: String
    private let intake: PartitionIntake<UpdateIntakeReader>
    private let fleet: FleetPublisher
    private let addresses: AddressLimits
    private let hubs: [RiderConnectionRegistry]
    private let group = MultiThreadedEventLoopGroup.singleton

    /// Makes a gateway that listens once it runs.
    ///
    /// `keyPrefix`: what comes before the keys of Redis.
    package init(
        names: TopicNames, kafka: KafkaConfiguration, redis: RedisConfiguration, keyPrefix: String,
        settings: RiderGatewaySettings, tokens: TokenVerifier, logger: Logger
    ) {
        let topic = PipelineTopic.riderUpdates.rawValue
        let frame = WorkerContext(
            name: "rider-gateway", inputs: [topic], names: names, kafka: kafka, logger: logger)
        self.frame = frame
        self.settings = settings
        self.tokens = tokens
        self.keyPrefix = keyPrefix
        status = frame.status
        desk = RedisExecutor(
            redis, keyPrefix: keyPrefix, topic: topic,
            presence: GatewayPresence(name: "rider-gateway", keyPrefix: keyPrefix, logger: frame.logger),
            consequence: "clients cannot subscribe until it does.", logger: frame.logger, control: frame.control)
        operators = RedisExecutor(
            redis, keyPrefix: keyPrefix, consequence: "operators and dispatchers are answered with 503 until it does.",
            logger: frame.logger, control: frame.control)
        fleet = FleetPublisher(redis, keyPrefix: keyPrefix, control: frame.control, logger: frame.logger)
        let loops = Array(group.makeIterator())
        intake = PartitionIntake(frame: frame, loops: loops)
        let metrics = RiderMetrics()
        let gate = TokenGate(tokens)
        self.gate = gate
        addresses = AddressLimits(settings.addressLimit, header: settings.addressHeader)
        let users = UserLimits(settings.connections)
        self.users = users
        hubs = loops.enumerated().map { [intake, desk, fleet] number, loop in
            RiderConnectionRegistry(
                loop, number: number, intake: intake, desk: desk, fleet: fleet, settings: settings, tokens: gate,
                users: users, metrics: metrics)
        }
    }

    /// What runs, in the order in which it starts: clients are told of a stop before what serves them stops.
    package var services: [any Service] { [self, server] }

    /// Reads for the clients until the service group shuts down.
    /// - Throws: ``WorkerError`` when the gateway cannot continue.
    package func run() async throws {
        for hub in hubs { hub.loop.execute { hub.start() } }
        try await withTaskCancellationHandler {
            try await withGracefulShutdownHandler {
                async let reading: Void = WorkerThread.run { [self] in try read() }
                async let asking: Void = WorkerThread.run { [self] in desk.run() }
                async let operating: Void = WorkerThread.run { [self] in operators.run() }
                async let showing: Void = WorkerThread.run { [self] in showFleet() }
                async let renewing: Void = KeyRenewal(tokens, control: frame.control, logger: frame.logger).run()
                _ = try await (reading, asking, operating, showing, renewing)
            } onGracefulShutdown: { [frame] in
                frame.control.give(.stop)
            }
        } onCancel: { [frame] in
            frame.control.give(.stop)
        }
    }

    /// The work of the intake's thread.
    private func read() throws {
        defer {
            frame.control.give(.stop)
            status.setStopped()
        }
        do {
            guard let partitions = try TopicCheck.wait(frame) else { return }
            desk.setPartitionCount(partitions)
            status.setReady()
            let hubs = hubs
            try intake.run(beat: status.beat, restart: { loop, partition in hubs[loop].restart(partition) }) {
                loop, deliveries in hubs[loop].deliver(deliveries)
            }
        } catch let error as WorkerError {
            status.fail(error, frame.logger)
            throw error
        }
    }

    /// The work of the fleet's thread.
    private func showFleet() {
        fleet.run { picture in
            for hub in hubs { hub.loop.execute { hub.show(picture) } }
        }
    }

    /// What listens for clients.
    private var server: some Service {
        let sockets = SocketGate(
            path: Self.socketPath, maximumMessageBytes: ClientMessage.maximumBytes, hubs, gate, addresses)
        let admission = RequestAdmission(tokens: gate, users: SharedLimits(settings.userLimit, .user))
        let routes = RiderRoutes(
            channels: ChannelRequests(desk: desk, admission: admission, users: users), operators: operators,
            streams: StreamGate(hubs), addresses: addresses, keyPrefix: keyPrefix, settings: settings)
        return ClientServer(
            settings: settings.connections, responder: routes.router.buildResponder(), sockets: sockets, group: group,
            logger: frame.logger)
    }
}
