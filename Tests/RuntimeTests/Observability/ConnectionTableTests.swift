import NIOEmbedded
import Testing

@testable import Runtime

@Suite("The open connections of a server")
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

    @Test("beyond the room, the one that was idle for longest goes, before those whose answers are due")
    func idle() throws {
        let channels = try (0..<3).map { _ in try open() }
        table.beginAnswer(channels[0])
        table.endAnswer(channels[0])
        table.beginAnswer(channels[1])
        let fourth = try open()
        #expect(active(channels + [fourth]) == [true, true, false, true])
        let fifth = try open()
        #expect(active(channels + [fourth, fifth]) == [false, true, false, true, true])
    }

    @Test("where none is idle, the one whose answer was begun first goes, and one that is kept never does")
    func busy() throws {
        let channels = try (0..<3).map { _ in try open() }
        table.keep(channels[0])
        for channel in channels[1...] { table.beginAnswer(channel) }
        let fourth = try open()
        #expect(active(channels + [fourth]) == [true, false, true, true])
    }

    @Test("where all are kept the new one goes, and there is room again when one has closed")
    func kept() throws {
        let channels = try (0..<3).map { _ in try open() }
        for channel in channels { table.keep(channel) }
        let refused = try open()
        #expect(active(channels + [refused]) == [true, true, true, false])
        table.close(refused)
        table.close(channels[1])
        let fourth = try open()
        #expect(active([channels[0], channels[2], fourth]) == [true, true, true])
        table.beginAnswer(refused)
        let fifth = try open()
        #expect(active([fourth, fifth]) == [false, true], "one that had to go counts no more")
    }

    @Test("stay in order over many requests of one connection while another is idle for long")
    func manyRequests() throws {
        let channels = try (0..<3).map { _ in try open() }
        for _ in 0..<1000 {
            for channel in channels[1...] {
                table.beginAnswer(channel)
                table.endAnswer(channel)
            }
        }
        let fourth = try open()
        #expect(active(channels + [fourth]) == [false, true, true, true])
        let fifth = try open()
        #expect(active(Array(channels[1...]) + [fourth, fifth]) == [false, true, true, true])
    }
}
