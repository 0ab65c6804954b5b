import TestSupport
import Testing

@testable import Runtime

/// Tests with the default limits of 10 s per request and 64 connections; `flood` has longer timeouts.
@Suite("Connections to the health endpoint", .blocking, .serialized)
struct ConnectionLimitTests {
    private func withEndpoint(_ body: @escaping @Sendable (Int) async throws -> Void) async throws {
        try await EndpointFixture.run({ EndpointFixture.endpoint(.init(port: 0), $0) }, body)
    }

    @Test("a silent connection is closed")
    func silence() async throws {
        try await withEndpoint { port in
            let silent = try RawConnection(port: port)
            #expect(silent.readToEnd() == "", "open after four minutes of silence")
        }
    }

    @Test("a connection with an endless header is closed although it keeps sending")
    func slowHeader() async throws {
        try await withEndpoint { port in
            let slow = try RawConnection(port: port)
            slow.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n")
            let deadline = ContinuousClock.now + .seconds(60)
            var sent = 0
            while !slow.isClosed, ContinuousClock.now < deadline, slow.send("X-\(sent): y\r\n") {
                sent += 1
                Pause.milliseconds(100)
            }
            #expect(slow.isClosed, "open after \(sent) headers")
        }
    }

    @Test("a connection with an endless body is closed")
    func slowBody() async throws {
        try await withEndpoint { port in
            let slow = try RawConnection(port: port)
            slow.send("POST /healthz HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n")
            let deadline = ContinuousClock.now + .seconds(120)
            while ContinuousClock.now < deadline, slow.send("x") { Pause.milliseconds(100) }
            #expect(!slow.send("x"), "open after two minutes")
        }
    }

    @Test("200 silent connections do not block the endpoint, and the oldest are closed")
    func flood() async throws {
        // Timeouts longer than the test, so that only the limit closes connections.
        var configuration = HealthEndpoint.Configuration(port: 0)
        configuration.requestTimeout = .seconds(3600)
        configuration.idleTimeout = .seconds(3600)
        let patient = configuration
        try await EndpointFixture.run({ EndpointFixture.endpoint(patient, $0) }) { port in
            var connections: [RawConnection] = []
            for round in 0..<200 {
                connections.append(try RawConnection(port: port))
                if round % 50 == 49 {
                    #expect(try RawConnection(port: port).health() == "HTTP/1.1 200 OK")
                }
            }
            // Several event loops register connections, in undefined order; the four responses above separate groups
            // of 50 connections.
            #expect(connections.prefix(50).allSatisfy { $0.readToEnd() == "" }, "one of the first 50 of 200 is open")
            let limit = patient.maximumConnections
            try await eventually("no more than \(limit) are open") { connections.count { !$0.isClosed } <= limit }
        }
    }
}
