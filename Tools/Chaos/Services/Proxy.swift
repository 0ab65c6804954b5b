import Foundation
import Synchronization
import TestSupport

/// A door between clients and a server on this machine, which can be shut, jammed, narrowed and led to another server.
///
/// Two threads per connection that copy bytes; closing either end closes both.
final class Proxy: Sendable {
    enum Mode: Sendable, Equatable {
        case open
        /// Connections are cut, and new ones as soon as they are made.
        case closed
        /// Connections stay, and nothing comes through: a network that swallows packets.
        case silent
        /// So many bytes per second and connection, in each direction.
        case slow(bytesPerSecond: Int)
    }

    private struct State: Sendable {
        var mode = Mode.open
        var server: UInt16
        var connections: [ObjectIdentifier: ProxyConnection] = [:]
        /// Connections still to be cut in the middle of what the client sends.
        var cutsToCome = 0
        var cutsDone = 0
        var refusal: ProduceRefusal?
        var refusals = 0
    }

    let name: String
    let port: UInt16
    private let listener: Int32
    private let state: Mutex<State>
    /// Bytes are passed on by whole Kafka requests and responses, so that some can be refused and answered.
    private let readsRequests: Bool

    /// Listens at once.
    ///
    /// `port`: 0 for any that is free.
    /// - Throws: ``Loopback/Failure`` when the port cannot be had.
    init(_ name: String, port: UInt16 = 0, server: UInt16, readsRequests: Bool = false) throws(Loopback.Failure) {
        self.name = name
        self.readsRequests = readsRequests
        (listener, self.port) = try Loopback.listen(port: port)
        state = Mutex(State(server: server))
        Thread.detach { [self] in accept() }
    }

    /// Changes what becomes of the traffic; ``Mode/closed`` cuts what is open.
    func set(_ mode: Mode) {
        state.withLock { $0.mode = mode }
        if mode == .closed { cut() }
    }

    /// Leads new connections to another server and cuts those to the one before.
    func lead(to server: UInt16) {
        state.withLock { $0.server = server }
        cut()
    }

    /// Cuts the next `count` connections in the middle of something large that a client sends.
    func cutInMidst(count: Int) {
        state.withLock { state in
            state.cutsToCome = count
            state.cutsDone = 0
        }
    }

    /// How many connections ``cutInMidst(count:)`` has cut so far.
    var cutsDone: Int { state.withLock { $0.cutsDone } }

    /// Refuses some writes from now on; `nil` ends that.
    /// - Returns: how many writes were refused since the last call.
    @discardableResult
    func refuse(_ refusal: ProduceRefusal?) -> Int {
        state.withLock { state in
            defer { state.refusals = 0 }
            state.refusal = refusal
            return state.refusals
        }
    }

    /// Cuts all connections; new ones are taken.
    func cut() {
        let connections = state.withLock { Array($0.connections.values) }
        for connection in connections { connection.cut() }
    }

    private var mode: Mode { state.withLock { $0.mode } }

    private func accept() {
        while true {
            guard let client = Loopback.accept(listener) else { continue }
            let (mode, server) = state.withLock { ($0.mode, $0.server) }
            guard mode != .closed, let upstream = Loopback.connect(port: server) else {
                Loopback.reset(client)
                continue
            }
            let connection = ProxyConnection(client: client, upstream: upstream)
            state.withLock { $0.connections[ObjectIdentifier(connection)] = connection }
            for toServer in [true, false] {
                Thread.detach { [self] in
                    pump(connection, toServer: toServer)
                    connection.cut()
                    state.withLock { $0.connections[ObjectIdentifier(connection)] = nil }
                }
            }
        }
    }

    private func pump(_ connection: ProxyConnection, toServer: Bool) {
        let source = toServer ? connection.client : connection.upstream
        let target = toServer ? connection.upstream : connection.client
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while let count = receive(source, &buffer, whole: readsRequests) {
            while mode == .silent { Thread.pause(seconds: 0.02) }
            guard mode != .closed else { return }
            var allowed = count
            if toServer {
                switch refusal(of: buffer[..<count]) {
                case .cut: return
                case .answered(let answer):
                    guard connection.sendToClient(answer[...]) else { return }
                    continue
                case .passed: break
                }
                if takeCut(size: count) { allowed = count / 2 }
            }
            let bytes = buffer[..<allowed]
            guard toServer ? Loopback.sendAll(target, bytes) : connection.sendToClient(bytes), allowed == count else {
                return
            }
            if case .slow(let rate) = mode { Thread.pause(seconds: Double(count) / Double(rate)) }
        }
    }

    /// - Returns: how much of the buffer is filled; `nil` at the end of the connection.
    private func receive(_ source: Int32, _ buffer: inout [UInt8], whole: Bool) -> Int? {
        if whole { return Loopback.receiveRequest(source, &buffer) }
        var room = buffer.count
        // Small pieces, so that the pause after each is short.
        if case .slow(let rate) = mode { room = min(room, max(64, rate / 10)) }
        let count = recv(source, &buffer, room, 0)
        return count > 0 ? count : nil
    }

    private func takeCut(size: Int) -> Bool {
        state.withLock { state in
            guard state.cutsToCome > 0, size >= 512 else { return false }
            state.cutsToCome -= 1
            state.cutsDone += 1
            return true
        }
    }

    private func refusal(of request: ArraySlice<UInt8>) -> ProduceRefusal.Outcome {
        guard readsRequests, let refusal = state.withLock({ $0.refusal }) else { return .passed }
        let outcome = refusal.outcome(of: request)
        if outcome != .passed { state.withLock { $0.refusals += 1 } }
        return outcome
    }
}
