import Logging
import NIOCore
import NIOPosix
import TestSupport
import Testing

@testable import Gateways
@testable import Runtime

@Suite("Vanished clients")
struct UserTimeoutTests {
    @Test("TCP_USER_TIMEOUT is set to the client timeout")
    func option() async throws {
        let connection = UpgradableChannel(
            responder: { _, _, _ in },
            gate: SocketGate(
                path: "/realtime", maximumMessageBytes: 4096, [], try TokenVerifier(), AddressLimits(nil, header: nil)),
            connections: ConnectionTable(limit: 1), handshakeTimeout: .seconds(3600), clientTimeout: .seconds(60))
        let group = MultiThreadedEventLoopGroup.singleton
        let server = try await ServerBootstrap(group: group).bind(host: "127.0.0.1", port: 0) { channel in
            connection.setup(channel: channel, logger: Logger(label: "test")).flatMap { _ in
                channel.getOption(UserTimeout.option)
            }
        }
        let client = try await ClientBootstrap(group: group).connect(to: #require(server.channel.localAddress)).get()
        let milliseconds = try await server.executeThenClose { accepted in
            try await accepted.first { _ in true }
        }
        #expect(milliseconds == 60_000)
        // The server may have closed the connection already.
        try? await client.close()
    }
}
