import Foundation
import Runtime
import TestSupport
import Testing

@testable import PushWorker

/// Tests over HTTP/1.1 without TLS; PushWorkerTests use HTTP/2 over TLS.
@Suite("Transport of notifications", .blocking, .timeLimit(.minutes(5)))
struct HTTPTransportTests {
    /// Runs `body` with a server that sends `response` on each connection, and then closes the connection.
    private static func withServer(
        _ response: String, _ body: (HTTPTransport, PushPost) async throws -> Void
    ) async throws {
        let (listener, port) = try Loopback.listen(port: 0)
        defer { close(listener) }
        WorkerThread.start {
            while let connection = Loopback.accept(listener) {
                var request: [UInt8] = []
                var buffer = [UInt8](repeating: 0, count: 4096)
                while !request.contains(UInt8(ascii: "}")), case let count = recv(connection, &buffer, buffer.count, 0),
                    count > 0
                { request += buffer[..<count] }
                _ = Loopback.sendAll(connection, Array(response.utf8)[...])
                close(connection)
            }
        }
        let transport = HTTPTransport(authorityFile: nil)
        defer { transport.close() }
        try await body(
            transport,
            PushPost(url: "http://127.0.0.1:\(port)/x", headers: [("apns-topic", "a")], body: Data("{}".utf8)))
        // Ends the server's accept().
        shutdown(listener, Int32(SHUT_RDWR))
    }

    private static func response(_ status: String, _ headers: String = "", bodyBytes: Int = 2) -> String {
        "HTTP/1.1 \(status)\r\nContent-Length: \(bodyBytes)\r\nConnection: close\r\n\(headers)\r\n"
            + String(repeating: "a", count: bodyBytes)
    }

    @Test("a response has status, body and Retry-After, also if its status is an error")
    func responses() async throws {
        try await Self.withServer(Self.response("503 Busy", "Retry-After: 7\r\n")) { transport, post in
            let response = try await transport.post(post)
            #expect(response.status == 503 && response.retryAfter == "7" && response.body == Data("aa".utf8))
        }
        try await Self.withServer(Self.response("200 OK")) { transport, post in
            let response = try await transport.post(post)
            #expect(response.retryAfter == nil)
        }
    }

    @Test("a response of up to 64 KiB is read, and a larger one is an error", arguments: [65_535, 65_536, 65_537])
    func largeResponse(bytes: Int) async throws {
        try await Self.withServer(Self.response("200 OK", bodyBytes: bytes)) { transport, post in
            let response = try? await transport.post(post)
            #expect(response?.body.count == (bytes <= 65_536 ? bytes : nil))
        }
    }

    @Test("a connection that is closed without a response is an error")
    func closed() async throws {
        try await Self.withServer("") { transport, post in
            await #expect(throws: HTTPTransfer.Failure.self) { try await transport.post(post) }
        }
    }

    @Test("each of 100 concurrent requests gets a response")
    func concurrent() async throws {
        try await Self.withServer(Self.response("200 OK")) { transport, post in
            let delivered = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<100 { group.addTask { try await transport.post(post).status } }
                return try await group.reduce(0) { $0 + ($1 == 200 ? 1 : 0) }
            }
            #expect(delivered == 100)
        }
    }

    @Test("a closed transport throws an error for a request, and can be closed again")
    func afterClose() async throws {
        try await Self.withServer(Self.response("200 OK")) { transport, post in
            transport.close()
            await #expect(throws: HTTPTransfer.Failure.self) { try await transport.post(post) }
            transport.close()
        }
    }
}
