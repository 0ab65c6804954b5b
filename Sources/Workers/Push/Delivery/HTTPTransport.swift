import AsyncHTTPClient
import Foundation
import NIOCore
import NIOPosix
import NIOSSL

/// Sends requests by HTTP/2 over TLS.
package struct HTTPTransport: PushTransport {
    private static let maximumResponseBytes = 1 << 16
    private static let connectTimeout = TimeAmount.seconds(3)

    private let client: HTTPClient
    private let requestTimeout: TimeAmount

    /// `authorityFile`: trusted certificate authorities (PEM); `nil` uses the system's.
    package init(authorityFile: String? = nil, requestTimeout: Duration = .seconds(5)) {
        var tls = TLSConfiguration.makeClientConfiguration()
        if let authorityFile { tls.trustRoots = .file(authorityFile) }
        self.requestTimeout = TimeAmount(requestTimeout)
        client = HTTPClient(
            eventLoopGroup: MultiThreadedEventLoopGroup.singleton,
            configuration: HTTPClient.Configuration(
                tlsConfiguration: tls, redirectConfiguration: .disallow,
                timeout: HTTPClient.Configuration.Timeout(connect: Self.connectTimeout)))
    }

    package func post(_ post: PushPost) async throws -> PushResponse {
        var request = HTTPClientRequest(url: post.url)
        request.method = .POST
        for (name, value) in post.headers { request.headers.add(name: name, value: value) }
        request.body = .bytes(ByteBuffer(bytes: post.body))
        let response = try await client.execute(request, timeout: requestTimeout)
        let body = try await response.body.collect(upTo: Self.maximumResponseBytes)
        return PushResponse(
            status: Int(response.status.code), retryAfter: response.headers.first(name: "retry-after"),
            body: Data(body.readableBytesView))
    }

    package func close() {
        // Fails only if the client is already closed.
        try? client.syncShutdown()
    }
}
