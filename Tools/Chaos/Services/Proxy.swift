import Foundation
import Synchronization
import TestSupport

/// TCP proxy in front of a local server that can cut, stall, throttle or redirect connections.
///
/// Each connection has two threads that copy bytes; closing one side also closes its peer.
final class Proxy: Sendable {
    enum Mode: Sendable, Equatable {
        case open
        /// Existing and new connections are closed.
        case closed
        /// Connections stay open, but no bytes pass, as when a network drops packets.
        case silent
        /// Limit per connection and direction.
        case slow(bytesPerSecond: Int)
    }

    private struct State: Sendable {
        var mode = Mode.open
        var server: UInt16
        var connections: [ObjectIdentifier: ProxyConnection] = [:]
        /// Number of further connections to be cut while the client sends.
        var remainingCuts = 0
        var cutsDone = 0
        var refusal: ProduceRefusal?
        var refusals = 0
    }

    let name: String
    let port: UInt16
    private let listener: Int32
    private let state: Mutex<State>
    /// Whether bytes are forwarded as complete Kafka requests and responses, so that requests can be refused.
    private let readsRequests: Bool

    /// Starts to listen; `port` 0 selects a free port.
    /// - Throws: ``Loopback/Failure`` if the port is not available.
    init(_ name: String, port: UInt16 = 0, server: UInt16, readsRequests: Bool = false) throws(Loopback.Failure) {
        self.name = name
        self.readsRequests = readsRequests
        (listener, self.port) = try Loopback.listen(port: port)
        state = Mutex(State(server: server))
        Thread.detach { [self] in accept() }
    }

    /// Sets the mode of existing and new connections; `closed` cuts existing connections.
    func set(_ mode: Mode) {
        state.withLock { $0.mode = mode }
        if mode == .closed { cut() }
    }

    /// Connects new clients to another server and cuts existing connections.
    func redirect(to server: UInt16) {
        state.withLock { $0.server = server }
        cut()
    }

    /// Cuts the next `count` connections on which a client sends 512 bytes or more, after half of these bytes.
    func cutLargeSends(count: Int) {
        state.withLock { ($0.remainingCuts, $0.cutsDone) = (count, 0) }
    }

    /// Number of connections cut since the last ``cutLargeSends(count:)``.
    var cutsDone: Int { state.withLock { $0.cutsDone } }

    /// Sets the rule for refused writes; with `nil`, all writes are forwarded.
    /// - Returns: the number of writes refused since the last call.
    @discardableResult
    func refuse(_ refusal: ProduceRefusal?) -> Int {
        state.withLock { state in
            defer { state.refusals = 0 }
            state.refusal = refusal
            return state.refusals
        }
    }

    /// Cuts all existing connections; does not affect new connections.
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
        while let count = receive(source, &buffer) {
            while mode == .silent { Thread.pause(seconds: 0.02) }
            guard mode != .closed else { return }
            var allowed = count
            if toServer {
                switch refusal(of: buffer[..<count]) {
                case .close: return
                case .respond(let response):
                    guard connection.sendToClient(response[...]) else { return }
                    continue
                case .forward: break
                }
                if shouldCut(size: count) { allowed = count / 2 }
            }
            let bytes = buffer[..<allowed]
            guard toServer ? Loopback.sendAll(target, bytes) : connection.sendToClient(bytes), allowed == count else {
                return
            }
            if case .slow(let rate) = mode { Thread.pause(seconds: Double(count) / Double(rate)) }
        }
    }

    /// Returns the number of bytes received; `nil` at the end of the connection.
    private func receive(_ source: Int32, _ buffer: inout [UInt8]) -> Int? {
        if readsRequests { return receiveRequest(source, &buffer) }
        var room = buffer.count
        // Small reads, because the pause after a read grows with its size.
        if case .slow(let rate) = mode { room = min(room, max(64, rate / 10)) }
        let count = recv(source, &buffer, room, 0)
        return count > 0 ? count : nil
    }

    /// Receives one Kafka request or response with its length prefix; grows the buffer if needed.
    private func receiveRequest(_ source: Int32, _ buffer: inout [UInt8]) -> Int? {
        guard Loopback.fill(source, &buffer, 0..<4) else { return nil }
        let length = buffer[..<4].reduce(0) { $0 << 8 | Int($1) }
        if buffer.count < length + 4 { buffer += [UInt8](repeating: 0, count: length + 4 - buffer.count) }
        return Loopback.fill(source, &buffer, 4..<length + 4) ? length + 4 : nil
    }

    private func shouldCut(size: Int) -> Bool {
        state.withLock { state in
            guard state.remainingCuts > 0, size >= 512 else { return false }
            state.remainingCuts -= 1
            state.cutsDone += 1
            return true
        }
    }

    private func refusal(of request: ArraySlice<UInt8>) -> ProduceRefusal.Outcome {
        guard readsRequests, let refusal = state.withLock({ $0.refusal }) else { return .forward }
        let outcome = refusal.outcome(of: request)
        if outcome != .forward { state.withLock { $0.refusals += 1 } }
        return outcome
    }
}
