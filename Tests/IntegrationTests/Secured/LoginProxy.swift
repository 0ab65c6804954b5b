import Foundation
import TestSupport

/// Proxy that adds SASL PLAIN authentication to a broker without authentication.
///
/// Forwards authenticated connections, and answers a wrong password with a broker's error response. The broker must
/// advertise the address of this proxy.
final class LoginProxy: @unchecked Sendable {
    // @unchecked: the lock guards password, connections and rejections; everything else is constant.
    let port: UInt16
    private let listener: Int32
    private let server: UInt16
    private let lock = NSLock()
    private var password: String
    private var connections: [ProxyConnection] = []
    private var rejections = 0

    private enum Request: Int16 {
        case handshake = 17
        case versions = 18
        case authenticate = 36
    }

    /// Starts the proxy on a socket from ``Loopback/listen(port:)``, which it owns from then on.
    init(_ listener: (socket: Int32, port: UInt16), to server: UInt16, password: String) {
        self.listener = listener.socket
        port = listener.port
        self.server = server
        self.password = password
        Thread { [self] in accept() }.start()
    }

    var rejectedLogins: Int { lock.withLock { rejections } }

    /// Changes the password and closes all connections.
    func change(password: String) {
        lock.withLock {
            self.password = password
            for connection in connections { connection.cut() }
            connections = []
        }
    }

    /// Stops accepting connections.
    func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

    private func accept() {
        while let client = Loopback.accept(listener) {
            guard let upstream = Loopback.connect(port: server) else {
                close(client)
                continue
            }
            let pair = ProxyConnection(client: client, upstream: upstream)
            lock.withLock { connections.append(pair) }
            Thread { [self] in serve(pair) }.start()
        }
        close(listener)
    }

    private func serve(_ pair: ProxyConnection) {
        defer { pair.cut() }
        guard logIn(pair) else { return }
        Thread { Self.pump(pair.upstream, pair.client, pair) }.start()
        Self.pump(pair.client, pair.upstream, pair)
    }

    private static func pump(_ source: Int32, _ target: Int32, _ pair: ProxyConnection) {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while case let count = recv(source, &buffer, buffer.count, 0), count > 0 {
            guard Loopback.sendAll(target, buffer[..<count]) else { break }
        }
        pair.cut()
    }

    /// Serves requests until the login, and returns whether the login succeeded.
    private func logIn(_ pair: ProxyConnection) -> Bool {
        while let frame = Self.frame(pair.client) {
            let (version, correlation) = (frame[6..<8], frame[8..<12])
            switch Request(rawValue: Int16(frame[4]) << 8 | Int16(frame[5])) {
            case .versions:
                guard Loopback.sendAll(pair.upstream, frame[...]), let response = Self.frame(pair.upstream),
                    Loopback.sendAll(pair.client, response[...])
                else { return false }
            case .handshake:
                // Response without an error, and with one mechanism.
                let body: [UInt8] = [0, 0, 0, 0, 0, 1, 0, 5] + Array("PLAIN".utf8)
                guard Self.respond(pair.client, correlation, body) else { return false }
            case .authenticate:
                let isCorrect = lock.withLock {
                    let ending = [0] + Array(password.utf8)
                    let isCorrect = Array(frame.suffix(ending.count)) == ending
                    rejections += isCorrect ? 0 : 1
                    return isCorrect
                }
                let text = Array("Invalid username or password".utf8)
                var body: [UInt8] = isCorrect ? [0, 0, 0xFF, 0xFF] : [0, 58, 0, UInt8(text.count)] + text
                // No bytes for the client; from version 1 on also a session lifetime of 0 (unlimited).
                body += [0, 0, 0, 0] + (version.last == 0 ? [] : [UInt8](repeating: 0, count: 8))
                guard Self.respond(pair.client, correlation, body), isCorrect else { return false }
                return true
            case nil: return false
            }
        }
        return false
    }

    /// Returns the next request or response with its length, or `nil` at the end or for an invalid length.
    private static func frame(_ source: Int32) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 4)
        guard Loopback.fill(source, &bytes, 0..<4) else { return nil }
        let count = bytes.reduce(0) { $0 << 8 | Int($1) }
        guard (8..<1 << 20).contains(count) else { return nil }
        bytes += [UInt8](repeating: 0, count: count)
        return Loopback.fill(source, &bytes, 4..<4 + count) ? bytes : nil
    }

    private static func respond(_ client: Int32, _ correlation: ArraySlice<UInt8>, _ body: [UInt8]) -> Bool {
        let count = correlation.count + body.count
        return Loopback.sendAll(client, ([0, 0, UInt8(count >> 8), UInt8(count & 0xFF)] + correlation + body)[...])
    }
}
