import Hummingbird
import Logging
import ServiceLifecycle
import Synchronization

/// The worker's HTTP endpoint: `/healthz`, `/readyz` and `/metrics`.
///
/// - `/healthz` answers 200 while the worker's thread makes progress, else 503.
/// - `/readyz` answers 200 while the worker does its work, else 503 with the reason.
/// - `/metrics` answers in the Prometheus text format.
package struct HealthEndpoint: Service {
    package struct Configuration: Sendable {
        /// The address to listen on; loopback by default, because there is no authentication.
        package var host: String
        /// 0 takes any free port.
        package var port: Int
        /// The setting that an error about the port names.
        package var portKey: String
        /// How long a request may take to come, from the opening of its connection, or from its first line where it is
        /// not the first one.
        package var requestTimeout = Duration.seconds(10)
        /// How long a connection may wait for its next request; more than scrapes are apart.
        package var idleTimeout = Duration.seconds(75)
        /// How many connections are open at once; where one more comes, that which was idle for longest is closed.
        package var maximumConnections = Self.roomForConnections(descriptors: DescriptorLimit.current)

        /// 64, or a quarter of the descriptors that the process may have: the others are for brokers and stores.
        package static func roomForConnections(descriptors: Int) -> Int { max(1, min(64, descriptors / 4)) }

        package init(host: String = "127.0.0.1", port: Int, portKey: String = "SIGHTLINE_HTTP_PORT") {
            self.host = host
            self.port = port
            self.portKey = portKey
        }
    }

    private let configuration: Configuration
    private let build: BuildInfo
    private let registry: MetricsRegistry
    private let health: @Sendable () -> HealthReport
    private let onListening: @Sendable (Int) -> Void
    private let logger: Logger

    /// - Parameters:
    ///   - configuration: where to listen.
    ///   - build: the program, for `/healthz`.
    ///   - registry: rendered at `/metrics`.
    ///   - logger: told the address once the endpoint listens.
    ///   - onListening: told the port once the endpoint listens.
    ///   - health: asked at each request, from any thread; must not block.
    package init(
        configuration: Configuration, build: BuildInfo, registry: MetricsRegistry,
        logger: Logger = Logger(label: "endpoint"), onListening: @escaping @Sendable (Int) -> Void = { _ in },
        health: @escaping @Sendable () -> HealthReport
    ) {
        self.configuration = configuration
        self.build = build
        self.registry = registry
        self.logger = logger
        self.onListening = onListening
        self.health = health
    }

    /// Serves until the service group shuts down gracefully.
    /// - Throws: ``ListenError`` when it cannot listen.
    package func run() async throws {
        let isListening = Mutex(false)
        var quiet = logger
        // The server's own lines of each connection are for debugging it, not the worker.
        quiet.logLevel = max(logger.logLevel, .warning)
        let configuration = configuration
        let table = ConnectionTable(limit: configuration.maximumConnections)
        let application = Application(
            responder: CallbackResponder<BasicRequestContext> { request, _ in respond(to: request) },
            server: .http1(
                configuration: .init(
                    additionalChannelHandlers: [
                        ConnectionHandler(
                            table: table, requestTimeout: configuration.requestTimeout,
                            idleTimeout: configuration.idleTimeout)
                    ])),
            configuration: .init(address: .hostname(configuration.host, port: configuration.port)),
            onServerRunning: { channel in
                isListening.withLock { $0 = true }
                announce(port: channel.localAddress?.port ?? configuration.port)
            },
            logger: quiet)
        do {
            try await serve(application, quiet)
        } catch  where !isListening.withLock({ $0 }) && !(error is CancellationError) {
            throw ListenError(
                host: configuration.host, port: configuration.port, portKey: configuration.portKey, underlying: error)
        }
    }

    /// Serves until told to stop, in a task of its own.
    ///
    /// A cancellation stops the server in order, too: cancelled in the middle of accepting, it may drop connections
    /// that its library has a precondition to be served.
    private func serve(_ application: some Service, _ logger: Logger) async throws {
        let server = ServiceGroup(configuration: .init(services: [.init(service: application)], logger: logger))
        let serving = Task { try await server.run() }
        try await withTaskCancellationOrGracefulShutdownHandler {
            try await serving.value
        } onCancelOrGracefulShutdown: {
            Task { await server.triggerGracefulShutdown() }
        }
    }

    private func announce(port: Int) {
        logger.info(
            "The endpoint listens.", metadata: .of([.host: "\(configuration.host)", .port: .stringConvertible(port)]))
        onListening(port)
    }

    private func respond(to request: Request) -> Response {
        guard request.method == .get || request.method == .head else {
            return Self.response(.methodNotAllowed, "text/plain; charset=utf-8", "Use GET.\n")
        }
        switch request.uri.path {
        case "/healthz":
            let report = health()
            return Self.json(report.isAlive, report.livenessJSON(build: build))
        case "/readyz":
            let report = health()
            return Self.json(report.isReady, report.readinessJSON)
        case "/metrics":
            return Self.response(.ok, PrometheusText.contentType, registry.render())
        default:
            return Self.response(
                .notFound, "text/plain; charset=utf-8", "\(build): /healthz, /readyz and /metrics are served here.\n")
        }
    }

    private static func json(_ isGood: Bool, _ body: String) -> Response {
        response(isGood ? .ok : .serviceUnavailable, "application/json", body + "\n")
    }

    private static func response(_ status: HTTPResponse.Status, _ contentType: String, _ body: String) -> Response {
        Response(
            status: status, headers: [.contentType: contentType, .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: body)))
    }
}
