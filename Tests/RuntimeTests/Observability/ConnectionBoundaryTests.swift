import Logging
import ServiceLifecycle
import TestSupport
import Testing

@testable import Runtime

@Suite("Connection limits of the health endpoint", .blocking, .serialized)
struct ConnectionBoundaryTests {
    /// Returns a configuration whose timeouts are longer than a test.
    private static func configuration(connections: Int) -> HealthEndpoint.Configuration {
        var configuration = HealthEndpoint.Configuration(port: 0)
        configuration.requestTimeout = .seconds(3600)
        configuration.idleTimeout = .seconds(3600)
        configuration.maximumConnections = connections
        return configuration
    }

    @Test("at the limit, a new connection closes the connection that has been idle longest")
    func limit() async throws {
        let configuration = Self.configuration(connections: 5)
        try await EndpointFixture.run({ EndpointFixture.endpoint(configuration, $0) }) { port in
            var connections: [RawConnection] = []
            // Waits for each response, so that the order of use is defined.
            for _ in 0..<5 {
                let connection = try RawConnection(port: port)
                #expect(try connection.health() == "HTTP/1.1 200 OK")
                connections.append(connection)
            }
            // Makes the first connection the most recently used one.
            #expect(try connections[0].health() == "HTTP/1.1 200 OK")
            #expect(connections.allSatisfy { !$0.isClosed })
            let sixth = try RawConnection(port: port)
            #expect(try sixth.health() == "HTTP/1.1 200 OK")
            #expect(connections[1].readToEnd() == "")
            for index in [0, 2, 3, 4] { #expect(try connections[index].health() == "HTTP/1.1 200 OK") }
        }
    }

    @Test("a connection is closed after the idle timeout between requests")
    func idle() async throws {
        var configuration = Self.configuration(connections: 5)
        configuration.idleTimeout = .milliseconds(200)
        let briefTimeout = configuration
        try await EndpointFixture.run({ EndpointFixture.endpoint(briefTimeout, $0) }) { port in
            let connection = try RawConnection(port: port)
            #expect(try connection.health() == "HTTP/1.1 200 OK")
            #expect(connection.readToEnd() == "")
        }
    }

    @Test("with a limit of one connection, new connections are served, and the first one is closed")
    func singleConnection() async throws {
        let configuration = Self.configuration(connections: 1)
        try await EndpointFixture.run({ EndpointFixture.endpoint(configuration, $0) }) { port in
            let idle = try RawConnection(port: port)
            // Several threads accept connections; the response ensures that `idle` is accepted first.
            #expect(try idle.health() == "HTTP/1.1 200 OK")
            for _ in 0..<3 { #expect(try RawConnection(port: port).health() == "HTTP/1.1 200 OK") }
            #expect(idle.readToEnd() == "")
        }
    }

    @Test("the connection limit is a quarter of the descriptor limit, between 1 and 64")
    func room() {
        for (descriptors, room) in [1: 1, 4: 1, 7: 1, 8: 2, 255: 63, 256: 64, 1024: 64, .max: 64] {
            #expect(HealthEndpoint.Configuration.connectionLimit(descriptors: descriptors) == room)
        }
    }

    @Test("the client limit leaves descriptors for the endpoint, brokers and stores")
    func clientLimit() {
        for (descriptors, room) in [1: 1, 160: 60, 383: 191, 384: 192, 385: 193, 1024: 832, 20_000: 19_808] {
            #expect(DescriptorLimit.clientLimit(descriptors: descriptors) == room, "\(descriptors)")
        }
    }

    @Test("an endpoint stops if it is cancelled while clients connect")
    func cancelled() async throws {
        for _ in 0..<30 {
            let (ports, portContinuation) = AsyncStream.makeStream(of: Int.self)
            let endpoint = EndpointFixture.endpoint(Self.configuration(connections: 64)) { portContinuation.yield($0) }
            let running = Task { try await endpoint.run() }
            var iterator = ports.makeAsyncIterator()
            let port = try #require(await iterator.next())
            async let connecting = (0..<50).map { _ in try? RawConnection(port: port) }
            running.cancel()
            _ = try? await running.value
            _ = await connecting
        }
    }
}
