import Testing

@testable import Gateways

@Suite("Memory of unfinished messages")
struct UnfinishedMessageTests {
    private final class Socket {
        var isEnded = false
    }

    private static func set(_ bytes: Int, _ socket: Socket, _ messages: UnfinishedMessages) {
        messages.set(bytes, of: socket) { socket.isEnded = true }
    }

    @Test("the total is the sum over all sockets, without finished messages")
    func sum() {
        let messages = UnfinishedMessages(limit: 100)
        let (first, second) = (Socket(), Socket())
        Self.set(30, first, messages)
        Self.set(40, second, messages)
        Self.set(50, first, messages)
        #expect(messages.total == 90)
        Self.set(0, first, messages)
        Self.set(0, first, messages)
        #expect(messages.total == 40)
    }

    @Test(
        "over the limit, the socket with the oldest message is closed, even if other messages are larger",
        arguments: [99, 100, 101])
    func limit(bytes: Int) {
        let messages = UnfinishedMessages(limit: 100)
        let sockets = [Socket(), Socket(), Socket()]
        Self.set(10, sockets[0], messages)
        Self.set(60, sockets[1], messages)
        Self.set(bytes - 70, sockets[2], messages)
        #expect(sockets.map(\.isEnded) == [bytes > 100, false, false])
        #expect(messages.total == (bytes > 100 ? bytes - 10 : bytes))
    }

    @Test("a socket's next message counts as new")
    func order() {
        let messages = UnfinishedMessages(limit: 100)
        let (first, second) = (Socket(), Socket())
        Self.set(60, first, messages)
        Self.set(20, second, messages)
        Self.set(0, first, messages)
        Self.set(90, first, messages)
        #expect(second.isEnded && !first.isEnded)
    }

    @Test("a single socket over the limit is closed")
    func alone() {
        let messages = UnfinishedMessages(limit: 100)
        let socket = Socket()
        Self.set(101, socket, messages)
        #expect(socket.isEnded && messages.total == 0)
    }
}
