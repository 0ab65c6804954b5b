import NIOEmbedded
import Testing

@testable import Runtime

@Suite("Connection table")
struct ConnectionTableTests {
    private let table = ConnectionTable(limit: 3)

    private func open() throws -> EmbeddedChannel {
        let channel = EmbeddedChannel()
        try channel.connect(to: .init(ipAddress: "127.0.0.1", port: 1)).wait()
        table.open(channel)
        return channel
    }

    private func active(_ channels: [EmbeddedChannel]) -> [Bool] {
        for channel in channels { channel.embeddedEventLoop.run() }
        return channels.map(\.isActive)
    }

    @Test("at the limit, the longest idle connection is closed before connections with a pending response")
    func idle() throws {
        let channels = try (0..<3).map { _ in try open() }
        table.beginResponse(channels[0])
        table.endResponse(channels[0])
        table.beginResponse(channels[1])
        let fourth = try open()
        #expect(active(channels + [fourth]) == [true, true, false, true])
        let fifth = try open()
        #expect(active(channels + [fourth, fifth]) == [false, true, false, true, true])
    }

    @Test("without idle connections, the connection whose response began first is closed; kept connections stay open")
    func busy() throws {
        let channels = try (0..<3).map { _ in try open() }
        table.keep(channels[0])
        for channel in channels[1...] { table.beginResponse(channel) }
        let fourth = try open()
        #expect(active(channels + [fourth]) == [true, false, true, true])
    }

    @Test("if all connections are kept, a new connection is closed; closing a connection makes room")
    func kept() throws {
        let channels = try (0..<3).map { _ in try open() }
        for channel in channels { table.keep(channel) }
        let rejected = try open()
        #expect(active(channels + [rejected]) == [true, true, true, false])
        table.close(rejected)
        table.close(channels[1])
        let fourth = try open()
        #expect(active([channels[0], channels[2], fourth]) == [true, true, true])
        table.beginResponse(rejected)
        let fifth = try open()
        #expect(active([fourth, fifth]) == [false, true], "a closed connection no longer counts")
    }

    @Test("the longest idle connection is closed even after many requests of other connections")
    func manyRequests() throws {
        let channels = try (0..<3).map { _ in try open() }
        for _ in 0..<1000 {
            for channel in channels[1...] {
                table.beginResponse(channel)
                table.endResponse(channel)
            }
        }
        let fourth = try open()
        #expect(active(channels + [fourth]) == [false, true, true, true])
        let fifth = try open()
        #expect(active(Array(channels[1...]) + [fourth, fifth]) == [false, true, true, true])
    }
}
