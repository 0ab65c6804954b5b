import Hummingbird
import Logging
import ServiceLifecycle
import Synchronization

/// The worker's HTTP endpoint: `/healthz`, `/readyz` and `/metrics`.
///
/// - `/healthz`: 200 while the worker's thread makes progress, else 503.
/// - `/readyz`: 200 while the worker is ready, else 503 with the reason.
/// - `/metrics`: the Prometheus text format.
package struct HealthEndpoint: Service {
    package struct Configuration: Sendable {
        /// Listen address; loopback by default, because there is no authentication.
        package var host = "127.0.0.1"
        /// 0 selects a free port.
        package var port: Int
        /// Maximum time from the opening of the connection, or from a later request line, to the end of the request.
        package var requestTimeout = Duration.seconds(10)
        /// Maximum time between requests; longer than a scrape interval.
        package var idleTimeout = Duration.seconds(75)
        /// Maximum open connections; a new one replaces the one that has been idle longest.
        package var maximumConnections = Self.connectionLimit(descriptors: DescriptorLimit.current)

        /// Returns the default limit: a quarter of the process's descriptors, from 1 to 64.
        package static func connectionLimit(descriptors: Int) -> Int { max(1, min(64, descriptors / 4)) }
    }

    let configuration: Configuration
    /// Name and version of the program, for `/healthz`.
    let build: BuildInfo
    /// Metrics that `/metrics` renders.
    let registry: MetricsRegistry
    var logger = Logger(label: "endpoint")
    /// Callback that receives the port when the endpoint listens.
    var onListening: @Sendable (Int) -> Void = { _ in }
    /// Source of `/healthz` and `/readyz`, called at each of these requests from any thread; must not block.
    let health: @Sendable () -> HealthReport

    /// Serves until the service group shuts down gracefully.
    /// - Throws: ``ListenError`` when it cannot listen.
    package func run() async throws {
        let isListening = Mutex(false)
        var quiet = logger
        // Suppresses the server's lines per connection.
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
                host: configuration.host, port: configuration.port, portKey: SettingDefinition.httpPort.key,
                underlying: error)
        }
    }

    /// Serves in a separate task until cancellation or a graceful shutdown.
    ///
    /// A cancellation also stops the server gracefully: a server cancelled while it accepts may drop connections, which
    /// violates a precondition of its library.
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
            "Endpoint listening.", metadata: .of([.host: "\(configuration.host)", .port: .stringConvertible(port)]))
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

    private static func json(_ isHealthy: Bool, _ body: String) -> Response {
        response(isHealthy ? .ok : .serviceUnavailable, "application/json", body + "\n")
    }

    private static func response(_ status: HTTPResponse.Status, _ contentType: String, _ body: String) -> Response {
        Response(
            status: status, headers: [.contentType: contentType, .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: body)))
    }
}
