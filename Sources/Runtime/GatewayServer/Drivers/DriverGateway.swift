import Hummingbird
import Kafka
import Logging
import NIOCore
import NIOPosix
import Observability
import Pipeline
import ServiceLifecycle
import Streaming
import Telemetry
import Tokens

/// The upstream gateway: drivers' devices connect, and what they send is written to Kafka.
///
/// Two kinds of threads: the event loops with the devices' connections, which queue records, and one that hands the
/// producer's delivery reports back to them (``DeliveryLoop``).
package final class DriverGateway: WorkerService {
    static let socketPath = "/drivers/realtime"

    package let status: WorkerStatus
    private let frame: WorkerFrame
    private let settings: DriverGatewaySettings
    private let tokens: TokenVerifier
    private let addresses: AddressLimits
    private let metrics = DriverMetrics()
    private let hubs: [DriverHub]
    private let group = MultiThreadedEventLoopGroup.singleton

    /// Makes a gateway that listens once it runs.
    package init(
        names: TopicNames, kafka: KafkaConfiguration, settings: DriverGatewaySettings, tokens: TokenVerifier,
        logger: Logger
    ) {
        let frame = WorkerFrame(
            name: "driver-gateway", inputs: [],
            outputs: [PipelineTopic.rawLocations.rawValue, PipelineTopic.trips.rawValue], names: names, kafka: kafka,
            commitInterval: .seconds(5), logger: logger)
        self.frame = frame
        self.settings = settings
        self.tokens = tokens
        let addresses = AddressLimits(settings.addressLimit, header: settings.addressHeader)
        self.addresses = addresses
        status = frame.status
        let gate = TokenGate(tokens)
        hubs = group.makeIterator().enumerated().map { [metrics] number, loop in
            DriverHub(
                loop, number: number, settings: settings, tokens: gate, addresses: addresses, metrics: metrics)
        }
    }

    /// What runs, in the order in which it starts: devices are told of a stop before the producer is flushed.
    package var services: [any Service] { [self, server] }

    /// Writes for the devices until the service group shuts down.
    /// - Throws: ``WorkerError`` when the gateway cannot continue.
    package func run() async throws {
        DescriptorLimit.raise()
        for hub in hubs { hub.loop.execute { hub.start() } }
        try await withTaskCancellationHandler {
            try await withGracefulShutdownHandler {
                async let delivering: Void = WorkerThread.run { [self] in try deliver() }
                async let renewing: Void = KeyRenewal(tokens, control: frame.control, logger: frame.logger).run()
                _ = try await (delivering, renewing)
            } onGracefulShutdown: { [frame] in
                frame.control.give(.stop)
            }
        } onCancel: { [frame] in
            frame.control.give(.stop)
        }
    }

    /// The work of the producer's thread.
    private func deliver() throws {
        defer {
            frame.control.give(.stop)
            status.setStopped()
        }
        do {
            guard try TopicCheck.wait(frame) != nil else { return }
            var loop = try DeliveryLoop(frame: frame, hubs: hubs, metrics: metrics)
            try loop.run()
        } catch let error as WorkerError {
            status.fail(error, frame.logger)
            throw error
        }
    }

    /// What listens for devices.
    private var server: some Service {
        let gate = TokenGate(tokens)
        let sockets = SocketGate(
            path: Self.socketPath, maximumMessageBytes: settings.maximumMessageBytes, hubs, gate)
        let routes = DriverRoutes(hubs: hubs, tokens: gate, addresses: addresses, settings: settings)
        return ClientServer(
            settings: settings.connections, responder: routes.router.buildResponder(), sockets: sockets, group: group,
            logger: frame.logger)
    }
}
