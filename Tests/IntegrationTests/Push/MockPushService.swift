import Codec
import Foundation
import Hummingbird
import HummingbirdHTTP2
import JWTKit
import Logging
import NIOCore
import NIOSSL
import ServiceLifecycle
import Synchronization

/// Mock of Apple's and Google's push services: HTTP/2 over TLS, with their checks of requests.
final class MockPushService: Sendable {
    /// Response instead of a delivery.
    enum Fault: Sendable {
        case status(Int, reason: String, retryAfter: Int? = nil)
        /// The connection is closed without a response.
        case close
    }

    /// Delivered notification.
    struct Delivered: Sendable, Equatable {
        var platform: PushPlatform
        var token: String
        var event: String
        var type: String
        var title: String?
    }

    private struct State {
        var delivered: [Delivered] = []
        /// Errors of requests that the real services would reject.
        var problems: [String] = []
        /// Faults for the next requests of a device, by its token.
        var faults: [String: [Fault]] = [:]
        /// Times of the requests of a device, by its token.
        var attempts: [String: [ContinuousClock.Instant]] = [:]
        var grants = 0
    }

    static let topic = "com.example.rider"
    static let project = "demo"
    static let email = "push@demo.example"
    static let keyID = "KEY1234567"
    static let teamID = "TEAM123456"

    private let state = Mutex(State())
    let checks: MockPushChecks

    init(_ checks: MockPushChecks, faults: [String: [Fault]] = [:]) {
        self.checks = checks
        state.withLock { $0.faults = faults }
    }

    var delivered: [Delivered] { state.withLock { $0.delivered } }
    var problems: [String] { state.withLock { $0.problems } }
    var grants: Int { state.withLock { $0.grants } }
    func attempts(of token: String) -> [ContinuousClock.Instant] { state.withLock { $0.attempts[token] ?? [] } }

    /// Runs the service while `body` runs, which gets the port.
    func serve(certificate: String, key: String, _ body: @Sendable @escaping (Int) async throws -> Void) async throws {
        let chain = try NIOSSLCertificate.fromPEMFile(certificate).map { NIOSSLCertificateSource.certificate($0) }
        let tls = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain, privateKey: .privateKey(try NIOSSLPrivateKey(file: key, format: .pem)))
        let port = AsyncStream<Int>.makeStream()
        var logger = Logger(label: "push-mock")
        logger.logLevel = .critical
        let application = Application(
            responder: CallbackResponder<MockPushContext> { [self] request, context in
                try await respond(request, context)
            },
            server: try .http2Upgrade(tlsConfiguration: tls),
            configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { port.continuation.yield($0.localAddress?.port ?? 0) }, logger: logger)
        let group = ServiceGroup(configuration: .init(services: [application], logger: logger))
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            for await port in port.stream {
                try await body(port)
                break
            }
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
        }
    }

    private func respond(_ request: Request, _ context: MockPushContext) async throws -> Response {
        let body = try await request.body.collect(upTo: 1 << 20)
        guard context.isHTTP2 else { return reject(400, "HTTP/1.1 instead of HTTP/2") }
        let path = request.uri.path
        if path == "/token" { return try await grant(body) }
        let outcome =
            path.hasPrefix("/3/device/")
            ? try await checks.apple(request, body) : checks.google(request, body)
        switch outcome {
        case .failure(let problem): return reject(400, problem.description)
        case .success(let delivered): return deliver(delivered, context)
        }
    }

    private func reject(_ status: Int, _ problem: String) -> Response {
        state.withLock { $0.problems.append(problem) }
        return Self.response(status, #"{"reason":"Mock"}"#)
    }

    private func grant(_ body: ByteBuffer) async throws -> Response {
        if let problem = await checks.grant(String(buffer: body)) { return reject(400, problem) }
        state.withLock { $0.grants += 1 }
        return Self.response(200, #"{"access_token":"\#(MockPushChecks.accessToken)","expires_in":3600}"#)
    }

    private func deliver(_ delivered: Delivered, _ context: MockPushContext) -> Response {
        let fault: Fault? = state.withLock { state in
            state.attempts[delivered.token, default: []].append(.now)
            if state.faults[delivered.token]?.isEmpty == false { return state.faults[delivered.token]?.removeFirst() }
            state.delivered.append(delivered)
            return nil
        }
        switch fault {
        case nil: return Self.response(200, "{}")
        case .close:
            context.connection.close(promise: nil)
            return Self.response(500, "{}")
        case .status(let status, let reason, let retryAfter):
            let body =
                delivered.platform == .apns
                ? #"{"reason":"\#(reason)"}"# : #"{"error":{"details":[{"errorCode":"\#(reason)"}]}}"#
            return Self.response(status, body, retryAfter: retryAfter)
        }
    }

    private static func response(_ status: Int, _ body: String, retryAfter: Int? = nil) -> Response {
        var response = Response(
            status: .init(code: status), headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: body)))
        if let retryAfter { response.headers[.retryAfter] = String(retryAfter) }
        return response
    }
}

/// Request context with the connection.
struct MockPushContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let connection: any Channel
    /// In HTTP/2, the channel of a stream is a child of the connection's, which is a child of the listener's.
    let isHTTP2: Bool

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        isHTTP2 = source.channel.parent?.parent != nil
        connection = (isHTTP2 ? source.channel.parent : nil) ?? source.channel
    }
}
