import AsyncHTTPClient
import Foundation
import NIOCore
import NIOPosix
import NIOSSL

/// Carries requests by HTTP/2 over TLS.
package struct HTTPTransport: PushTransport {
    /// Neither service's answer is longer.
    private static let maximumAnswerBytes = 1 << 16
    private static let connectTimeout = TimeAmount.seconds(3)

    private let client: HTTPClient
    private let requestTimeout: TimeAmount

    /// `authorityFile`: the authorities that are trusted, as PEM; `nil` for those of the system.
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

    package func post(_ post: PushPost) async throws -> PushReply {
        var request = HTTPClientRequest(url: post.url)
        request.method = .POST
        for (name, value) in post.headers { request.headers.add(name: name, value: value) }
        request.body = .bytes(ByteBuffer(bytes: post.body))
        let response = try await client.execute(request, timeout: requestTimeout)
        let body = try await response.body.collect(upTo: Self.maximumAnswerBytes)
        return PushReply(
            status: Int(response.status.code), retryAfter: response.headers.first(name: "retry-after"),
            body: Data(body.readableBytesView))
    }

    package func close() {
        // It fails only where the client was closed before.
        try? client.syncShutdown()
    }
}
