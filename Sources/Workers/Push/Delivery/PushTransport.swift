import AsyncHTTPClient
import Foundation
import NIOCore
import NIOPosix
import NIOSSL

struct PushPost: Sendable {
    let url: String
    let headers: [(String, String)]
    let body: Data
}

/// Sends requests to push services.
protocol PushTransport: Sendable {
    /// - Throws: if there is no response; a retry may succeed.
    func post(_ post: PushPost) async throws -> PushResponse

    /// Closes the connections; called on a thread that may block, while no request is in flight.
    func close()
}

/// Writes requests to standard output as JSON lines instead of sending them, and reports them as delivered.
struct DryRunTransport: PushTransport {
    func post(_ post: PushPost) async throws -> PushResponse {
        let headers = Dictionary(post.headers) { $1 }
        let body = try JSONSerialization.jsonObject(with: post.body)
        var line = try JSONSerialization.data(
            withJSONObject: ["url": post.url, "headers": headers, "body": body],
            options: [.sortedKeys, .withoutEscapingSlashes])
        line.append(UInt8(ascii: "\n"))
        FileHandle.standardOutput.write(line)
        return PushResponse(status: 200)
    }

    func close() {}
}

/// Sends requests by HTTP/2 over TLS.
struct HTTPTransport: PushTransport {
    private static let maximumResponseBytes = 1 << 16
    private static let connectTimeout = TimeAmount.seconds(3)
    private static let requestTimeout = TimeAmount.seconds(5)

    private let client: HTTPClient

    /// `authorityFile`: trusted certificate authorities (PEM); `nil` uses the system's.
    init(authorityFile: String?) {
        var tls = TLSConfiguration.makeClientConfiguration()
        if let authorityFile { tls.trustRoots = .file(authorityFile) }
        client = HTTPClient(
            eventLoopGroup: MultiThreadedEventLoopGroup.singleton,
            configuration: HTTPClient.Configuration(
                tlsConfiguration: tls, redirectConfiguration: .disallow,
                timeout: HTTPClient.Configuration.Timeout(connect: Self.connectTimeout)))
    }

    func post(_ post: PushPost) async throws -> PushResponse {
        var request = HTTPClientRequest(url: post.url)
        request.method = .POST
        for (name, value) in post.headers { request.headers.add(name: name, value: value) }
        request.body = .bytes(ByteBuffer(bytes: post.body))
        let response = try await client.execute(request, timeout: Self.requestTimeout)
        let body = try await response.body.collect(upTo: Self.maximumResponseBytes)
        return PushResponse(
            status: Int(response.status.code), retryAfter: response.headers.first(name: "retry-after"),
            body: Data(body.readableBytesView))
    }

    func close() {
        // Fails only if the client is already closed.
        try? client.syncShutdown()
    }
}
