import Foundation
import TestSupport
import Testing

@testable import Chaos

@Suite("Proxy", .blocking, .timeLimit(.minutes(10)))
struct ProxyTests {
    /// Starts a server that sends back all received bytes; returns its port.
    private static func echo() throws -> UInt16 {
        let (listener, port) = try Loopback.listen(port: 0)
        Thread.detach {
            while let client = Loopback.accept(listener) {
                Thread.detach {
                    var buffer = [UInt8](repeating: 0, count: 4096)
                    while case let count = recv(client, &buffer, buffer.count, 0), count > 0 {
                        guard Loopback.sendAll(client, buffer[..<count]) else { break }
                    }
                    close(client)
                }
            }
        }
        return port
    }

    /// Sends bytes and receives the same number; returns how many arrive before the connection ends.
    private func exchange(_ client: Int32, _ bytes: [UInt8]) -> Int {
        guard Loopback.sendAll(client, bytes[...]) else { return 0 }
        var received = 0
        var buffer = [UInt8](repeating: 0, count: 4096)
        while received < bytes.count, case let count = recv(client, &buffer, buffer.count, 0), count > 0 {
            received += count
        }
        return received
    }

    private func connect(_ proxy: Proxy) throws -> Int32 { try #require(Loopback.connect(port: proxy.port)) }

    @Test("closing cuts existing and new connections; after reopening, new connections work")
    func closing() throws {
        let proxy = try Proxy("echo", server: Self.echo())
        let message = [UInt8](repeating: 7, count: 2000)
        let client = try connect(proxy)
        #expect(exchange(client, message) == 2000)
        proxy.set(.closed)
        #expect(exchange(client, message) == 0)
        let refused = try connect(proxy)
        #expect(exchange(refused, message) == 0)
        proxy.set(.open)
        let reopened = try connect(proxy)
        #expect(exchange(reopened, message) == 2000)
        for socket in [client, refused, reopened] { close(socket) }
    }

    @Test("in silent mode, bytes wait and the connection stays open; after reopening, the bytes arrive")
    func silence() throws {
        let proxy = try Proxy("echo", server: Self.echo())
        let client = try connect(proxy)
        defer { close(client) }
        proxy.set(.silent)
        #expect(Loopback.sendAll(client, [1, 2, 3]))
        var timeout = timeval(tv_sec: 0, tv_usec: 200_000)
        setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        var buffer = [UInt8](repeating: 0, count: 16)
        #expect(recv(client, &buffer, buffer.count, 0) == -1)
        timeout.tv_sec = 10
        setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        proxy.set(.open)
        #expect(recv(client, &buffer, buffer.count, 0) == 3)
    }

    @Test("a cut forwards small writes, and ends the connection after half of a large write")
    func cutting() throws {
        let proxy = try Proxy("echo", server: Self.echo())
        let client = try connect(proxy)
        defer { close(client) }
        proxy.cutLargeSends(count: 1)
        #expect(exchange(client, [UInt8](repeating: 1, count: 100)) == 100)
        #expect(proxy.cutsDone == 0)
        #expect(exchange(client, [UInt8](repeating: 1, count: 2000)) < 2000)
        #expect(proxy.cutsDone == 1)
    }

    @Test("a write to a refused topic ends the connection; reads, and writes to other topics, pass")
    func refusing() throws {
        let proxy = try Proxy("echo", server: Self.echo(), readsRequests: true)
        proxy.refuse(ProduceRefusal(topic: "dead-letter"))
        func request(key: UInt8, _ topic: String) -> [UInt8] {
            let body = [0, key, 0, 9, 0, 0, 0, 1, 0, 1, UInt8(ascii: "c"), 0] + Array(topic.utf8)
            return [0, 0, 0, UInt8(body.count)] + body
        }
        let client = try connect(proxy)
        defer { close(client) }
        for passing in [request(key: 0, "driver.locations"), request(key: 1, "a.dead-letter")] {
            #expect(exchange(client, passing) == passing.count)
        }
        #expect(exchange(client, request(key: 0, "a.dead-letter")) == 0)
        #expect(proxy.refuse(nil) == 1)
    }
}
