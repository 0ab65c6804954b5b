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
        /// The address to listen on; loopback unless somebody decides otherwise, because there is no authentication.
        package var host: String
        /// 0 takes any free port.
        package var port: Int
        /// The setting that an error about the port names.
        package var portKey: String

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
    /// - Throws: ``HealthEndpointError`` when it cannot listen.
    package func run() async throws {
        let isListening = Mutex(false)
        var quiet = logger
        // The server's own lines of each connection are for debugging it, not the worker.
        quiet.logLevel = max(logger.logLevel, .warning)
        let application = Application(
            responder: CallbackResponder<BasicRequestContext> { request, _ in respond(to: request) },
            configuration: .init(address: .hostname(configuration.host, port: configuration.port)),
            onServerRunning: { channel in
                isListening.withLock { $0 = true }
                announce(port: channel.localAddress?.port ?? configuration.port)
            },
            logger: quiet)
        do {
            try await application.run()
        } catch  where !isListening.withLock({ $0 }) && !(error is CancellationError) {
            throw HealthEndpointError(configuration: configuration, underlying: error)
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
