import Domain
import Hummingbird
import Kafka
import Logging
import NIOCore
import NIOPosix
import Redis
import Runtime
import ServiceLifecycle

/// Parts of both gateways: Kafka, Redis, tokens and limits, and functions for their threads and server.
struct GatewayEnvironment: Sendable {
    let context: WorkerContext
    let redis: RedisConfiguration
    let keyPrefix: String
    let tokens: TokenVerifier
    let addresses: AddressLimits
    private let connections: ConnectionSettings
    private let group = MultiThreadedEventLoopGroup.singleton

    /// Creates the parts of a gateway.
    /// - Throws: an error if a setting is invalid.
    init(
        _ parts: WorkerProcess.Parts, _ program: Program, inputs: [PipelineTopic], outputs: [PipelineTopic] = [],
        connections: ConnectionSettings
    ) throws {
        let settings = parts.settings
        redis = try settings.redisConfiguration()
        keyPrefix = settings.redis.keyPrefix
        tokens = try TokenVerifier(TokenConfiguration(settings.gateway.tokens))
        addresses = AddressLimits(connections.addressLimit, header: connections.addressHeader)
        self.connections = connections
        context = WorkerContext(
            name: program.rawValue, inputs: inputs.map(\.rawValue), outputs: outputs.map(\.rawValue),
            names: settings.topicNames,
            kafka: settings.kafkaConfiguration, logger: parts.logger)
        context.status.setListening(false)
    }

    var loops: [any EventLoop] { Array(group.makeIterator()) }

    /// Creates an executor; if `isAnnounced`, the executor announces the gateway in Redis.
    func executor(topic: String? = nil, isAnnounced: Bool = true, consequence: String) -> RedisExecutor {
        let presence = GatewayPresence(name: context.name, keyPrefix: keyPrefix, logger: context.logger)
        return RedisExecutor(
            redis, keyPrefix: keyPrefix, topic: topic, presence: isAnnounced ? presence : nil,
            consequence: consequence, logger: context.logger, control: context.control)
    }

    /// Starts the registries, and runs `threads` until shutdown or until one of them ends.
    /// - Throws: ``WorkerError`` if the gateway cannot continue.
    func run(_ registries: [any ConnectionRegistry], threads: [@Sendable () throws -> Void]) async throws {
        for registry in registries { registry.loop.execute { registry.start() } }
        defer { context.status.setStopped() }
        let keys = KeyFileReloader(verifier: tokens, control: context.control, logger: context.logger)
        try await withTaskCancellationHandler {
            try await withGracefulShutdownHandler {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for body in threads { group.addTask { try await WorkerThread.run { try run(body) } } }
                    group.addTask { await keys.run() }
                    try await group.waitForAll()
                }
            } onGracefulShutdown: { [context] in
                context.control.request(.stop)
            }
        } onCancel: { [context] in
            context.control.request(.stop)
        }
    }

    private func run(_ body: () throws -> Void) throws {
        defer { context.control.request(.stop) }
        do { try body() } catch {
            let failure = (error as? KafkaError).map { WorkerError($0) } ?? error as? WorkerError
            guard let failure else { throw error }
            context.status.fail(failure, context.logger)
            throw failure
        }
    }

    /// Creates the server, with WebSockets at `path`.
    func server(
        path: String, maximumMessageBytes: Int, _ registries: [any ConnectionRegistry],
        _ router: Router<ClientRequestContext>
    ) -> some Service {
        ClientServer(
            settings: connections, responder: router.buildResponder(),
            sockets: SocketGate(
                path: path, maximumMessageBytes: maximumMessageBytes, registries, tokens, addresses),
            group: group, status: context.status, logger: context.logger)
    }
}
