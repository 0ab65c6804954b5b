import ArgumentParser
import Domain
import Runtime
import ServiceLifecycle

/// Gateway that serves riders, operators and dispatchers over WebSockets and HTTP.
///
/// Threads: event loops for the connections; a reader of the partitions of `rider.updates` that clients need
/// (``PartitionIntake``); two Redis clients, one for riders and one for operators and dispatchers (``RedisExecutor``);
/// and a reader of the fleet (``FleetPublisher``).
final class RiderGateway: WorkerService {
    static let socketPath = "/realtime"

    private let environment: GatewayEnvironment
    private let shared: RiderShared
    private let operatorStore: RedisExecutor
    private let registries: [RiderConnectionRegistry]

    init(_ parts: WorkerProcess.Parts) throws {
        var settings = parts.settings.riderGateway
        settings.mapToken = try parts.settings.mapToken()
        let environment = try GatewayEnvironment(
            parts, .riderGateway, inputs: [.riderUpdates], connections: settings.connections)
        self.environment = environment
        let (context, loops) = (environment.context, environment.loops)
        let shared = RiderShared(
            settings: settings, tokens: environment.tokens, intake: PartitionIntake(context: context, loops: loops),
            store: environment.executor(
                topic: PipelineTopic.riderUpdates.rawValue, consequence: "clients cannot subscribe."),
            fleet: FleetPublisher(
                environment.redis, keyPrefix: environment.keyPrefix, control: context.control, logger: context.logger),
            users: UserLimits(settings.connections))
        self.shared = shared
        operatorStore = environment.executor(
            isAnnounced: false, consequence: "operators and dispatchers get 503.")
        registries = loops.enumerated().map { RiderConnectionRegistry($1, number: $0, shared) }
    }

    var status: WorkerStatus { environment.context.status }

    /// Services in start order; they stop in reverse order, so the server notifies its clients before the rest stops.
    var services: [any Service] { [self, server] }

    /// Runs until the service group shuts down.
    /// - Throws: ``WorkerError`` if the gateway cannot continue.
    func run() async throws {
        try await environment.run(
            registries,
            threads: [
                { [self] in try read() }, { [shared] in shared.store.run() },
                { [operatorStore] in operatorStore.run() },
                { [self] in publishFleet() },
            ])
    }

    private func read() throws {
        guard let partitions = try TopicCheck.wait(environment.context) else { return }
        shared.store.setPartitionCount(partitions)
        status.setReady()
        let registries = registries
        try shared.intake.run(beat: status.beat, restart: { loop, partition in registries[loop].restart(partition) }) {
            loop, deliveries in registries[loop].deliver(deliveries)
        }
    }

    private func publishFleet() {
        shared.fleet.run { snapshot in
            for registry in registries { registry.loop.execute { registry.publish(snapshot) } }
        }
    }

    private var server: some Service {
        let admission = RequestAdmission(
            tokens: environment.tokens, users: SharedLimits(shared.settings.userLimit, kind: "user"))
        let routes = RiderRoutes(
            channels: ChannelRequests(store: shared.store, admission: admission, users: shared.users),
            operatorStore: operatorStore, streams: StreamOpener(registries), addresses: environment.addresses,
            keyPrefix: environment.keyPrefix, settings: shared.settings)
        return environment.server(
            path: Self.socketPath, maximumMessageBytes: ClientMessage.maximumBytes, registries, routes.router)
    }
}

package struct RiderGatewayCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "rider-gateway",
        abstract: "Serve trip and route updates over WebSockets and HTTP, and the live map.",
        discussion: """
            Reads the partitions of rider.updates that its clients need, and the state that position-worker stores in
            Redis. Clients need a token: set SIGHTLINE_TOKEN_SECRET or SIGHTLINE_TOKEN_JWKS_FILE. Any number of
            gateways can run in parallel. All settings come from environment variables: see docs/configuration.md,
            or print the effective ones with --check-config. docs/gateway.md describes the protocol.
            """,
        version: BuildInfo.currentVersion)

    @OptionGroup var options: WorkerOptions

    package init() {}

    package func run() async throws {
        try await WorkerProcess(.riderGateway).run(options) { try RiderGateway($0) }
    }
}

struct RiderGatewaySettings: Sendable {
    var connections = ConnectionSettings(port: 8080, portKey: "SIGHTLINE_RIDER_PORT")
    var maximumSubscriptions = 64
    /// Timeout for the acknowledgement of an event.
    ///
    /// Longer than the 10 s after which a slow reader is closed, and shorter than the 60 s of silence after which a
    /// connection counts as dead.
    var acknowledgementTimeout = Duration.seconds(15)
    var messageLimit = RateLimit(count: 10, periodMilliseconds: 1000, burst: 20)
    /// Rate limit of requests per user (subject of a token); `nil` for none.
    var userLimit: RateLimit?
    /// Interval at which clients poll if they cannot open a WebSocket.
    var pollingInterval = Duration.seconds(5)
    /// Origins allowed by CORS, such as `https://app.example.com`; `*` for all.
    var origins: Set<String> = []
    /// Drivers that nearest-driver searches return; must match the setting of `position-worker`.
    var nearestDrivers = NearestDrivers.unflagged
    /// URL of the map's tiles with `{z}`, `{x}` and `{y}`; `nil` to draw streets instead.
    var tileURL: String?
    /// Path of the file served as `/map/streets.json`; `nil` for none.
    var streetsFile: String?
    /// Function that creates a token for anyone who opens the map; `nil` if the map's link must contain a token.
    var mapToken: (@Sendable () throws -> String)?
}
