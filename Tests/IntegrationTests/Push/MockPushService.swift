import Codec
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import ServiceLifecycle
import Synchronization
import TestSupport

/// Mock of Apple's and Google's push services (HTTP/2 over TLS) that checks requests like these services.
///
/// `Tests/Web/push_front.py` speaks HTTP/2, and forwards requests to this server by HTTP/1.1.
final class MockPushService: Sendable {
    /// Failure that the mock returns instead of a delivery.
    enum Fault: Sendable {
        case status(Int, reason: String, retryAfter: Int? = nil)
        /// The connection is closed without a response.
        case close
    }

    /// Notification that the mock has accepted.
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

    /// Calls `body` with the port of the running service, which stops when `body` returns.
    func serve(certificate: String, key: String, _ body: @Sendable @escaping (Int) async throws -> Void) async throws {
        let mockPort = AsyncStream<Int>.makeStream()
        var logger = Logger(label: "push-mock")
        logger.logLevel = .critical
        let application = Application(
            responder: CallbackResponder<BasicRequestContext> { [self] request, _ in try await respond(request) },
            configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { mockPort.continuation.yield($0.localAddress?.port ?? 0) }, logger: logger)
        let group = ServiceGroup(configuration: .init(services: [application], logger: logger))
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            for await mockPort in mockPort.stream {
                try await Self.serveHTTP2(certificate: certificate, key: key, to: mockPort, body)
                break
            }
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
        }
    }

    /// Calls `body` with the port of an HTTP/2 proxy to `mockPort`, which ends when `body` returns.
    private static func serveHTTP2(
        certificate: String, key: String, to mockPort: Int, _ body: (Int) async throws -> Void
    ) async throws {
        let front = try WebScript.start(
            "push_front.py", [certificate, key, String(mockPort)], logs: FileManager.default.temporaryDirectory)
        defer { front.discard() }
        try await eventually("push_front.py listens; its output: \(front.output.suffix(500))") {
            front.output.contains("\n") || !front.isRunning
        }
        guard let port = front.output.split(separator: "\n").first.flatMap({ Int($0) }) else {
            throw Program.Failure(
                description: """
                    push_front.py does not start; if a Python package is missing, deploy/local/install --for-tests \
                    installs it. \(front.output.suffix(2000))
                    """)
        }
        try await body(port)
    }

    private func respond(_ request: Request) async throws -> Response {
        let body = try await request.body.collect(upTo: 1 << 20)
        guard Self.isHTTP2(request) else { return reject(400, "HTTP/1.1 instead of HTTP/2") }
        let path = request.uri.path
        if path == "/token" { return try grant(body) }
        let outcome =
            path.hasPrefix("/3/device/")
            ? try checks.apple(request, body) : checks.google(request, body)
        switch outcome {
        case .failure(let problem): return reject(400, problem.description)
        case .success(let delivered): return deliver(delivered)
        }
    }

    private static func isHTTP2(_ request: Request) -> Bool {
        HTTPField.Name("x-http2").flatMap { request.headers[$0] } == "true"
    }

    private func reject(_ status: Int, _ problem: String) -> Response {
        state.withLock { $0.problems.append(problem) }
        return Self.response(status, #"{"reason":"Mock"}"#)
    }

    private func grant(_ body: ByteBuffer) throws -> Response {
        if let problem = checks.grant(String(buffer: body)) { return reject(400, problem) }
        state.withLock { $0.grants += 1 }
        return Self.response(200, #"{"access_token":"\#(MockPushChecks.accessToken)","expires_in":3600}"#)
    }

    private func deliver(_ delivered: Delivered) -> Response {
        let fault: Fault? = state.withLock { state in
            state.attempts[delivered.token, default: []].append(.now)
            if state.faults[delivered.token]?.isEmpty == false { return state.faults[delivered.token]?.removeFirst() }
            state.delivered.append(delivered)
            return nil
        }
        switch fault {
        case nil: return Self.response(200, "{}")
        case .close:
            var response = Self.response(500, "{}")
            if let name = HTTPField.Name("x-mock-fault") { response.headers[name] = "close" }
            return response
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
