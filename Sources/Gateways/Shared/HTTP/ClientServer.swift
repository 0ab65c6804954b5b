import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import Runtime
import ServiceLifecycle
import Synchronization

/// Server for the HTTP requests and WebSockets of clients.
struct ClientServer<Responder: HTTPResponder>: Service
where Responder.Context: InitializableFromSource<ApplicationRequestContextSource> {
    let settings: ConnectionSettings
    let responder: Responder
    let sockets: SocketGate
    let group: any EventLoopGroup
    let status: WorkerStatus
    let logger: Logger

    func run() async throws {
        let isListening = Mutex(false)
        var quiet = logger
        // Hummingbird logs every connection with level info.
        quiet.logLevel = max(logger.logLevel, .warning)
        let (settings, sockets) = (settings, sockets)
        DescriptorLimit.raise()
        let connections = ConnectionTable(
            limit: min(settings.maximumConnections, DescriptorLimit.clientLimit()))
        let application = Application(
            responder: responder,
            server: HTTPServerBuilder { responder in
                UpgradableChannel(
                    responder: responder, gate: sockets, connections: connections,
                    handshakeTimeout: settings.handshakeTimeout, clientTimeout: settings.clientTimeout)
            },
            configuration: .init(address: .hostname(settings.host, port: settings.port), backlog: 4096),
            onServerRunning: { channel in
                isListening.withLock { $0 = true }
                status.setListening(true)
                let port = channel.localAddress?.port ?? settings.port
                logger.notice(
                    "Clients can connect.",
                    metadata: .of([.host: "\(settings.host)", .port: .stringConvertible(port)]))
            },
            eventLoopGroupProvider: .shared(group), logger: quiet)
        do {
            try await application.run()
            // Hummingbird waits for requests only, not for WebSockets.
            await sockets.close()
        } catch  where !isListening.withLock({ $0 }) && !(error is CancellationError) {
            throw ListenError(
                host: settings.host, port: settings.port, portKey: settings.portKey, underlying: error)
        }
    }
}

struct ClientRequestContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        channel = source.channel
    }
}
