import Domain
import Foundation
import TestSupport

/// Proxy that cuts connections after a number of bytes in one direction.
///
/// The nth connection gets the nth of `limits`; later connections have no limit.
final class CuttingProxy: @unchecked Sendable {
    // @unchecked: the lock guards the limits; everything else is constant.
    struct Limit {
        enum Direction { case toServer, toClient }
        var direction: Direction
        var bytes: Int
    }

    let port: Int32
    private let listener: Int32
    private let server: UInt16
    private let stallsAtZero: Bool
    private let lock = NSLock()
    private var limits: [Limit]

    /// Starts the proxy on `port`, or on a free port if `port` is 0.
    ///
    /// It connects to the server's port on 127.0.0.1, and ignores its host. With `stallsAtZero`, a direction with a
    /// limit of 0 forwards nothing instead of closing the connection.
    init(to server: (host: String, port: Int32), limits: [Limit], stallsAtZero: Bool = false, port: UInt16 = 0) throws {
        self.server = UInt16(server.port)
        self.stallsAtZero = stallsAtZero
        self.limits = limits
        let (listener, port) = try Loopback.listen(port: port)
        self.listener = listener
        self.port = Int32(port)
        let thread = Thread { [self] in accept() }
        thread.start()
    }

    /// Stops accepting connections; open connections continue.
    func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

    private func nextLimit() -> Limit? {
        lock.withLock { limits.isEmpty ? nil : limits.removeFirst() }
    }

    private func accept() {
        while let client = Loopback.accept(listener) {
            guard let upstream = Loopback.connect(port: server) else {
                close(client)
                continue
            }
            let limit = nextLimit()
            let pair = ProxyConnection(client: client, upstream: upstream)
            for direction in [Limit.Direction.toServer, .toClient] {
                let allowed = limit.flatMap { $0.direction == direction ? $0.bytes : nil }
                if stallsAtZero, allowed == 0 { continue }
                let thread = Thread { Self.pump(pair, direction, allowed: allowed ?? .max) }
                thread.start()
            }
        }
        close(listener)
    }

    private static func pump(_ pair: ProxyConnection, _ direction: Limit.Direction, allowed: Int) {
        let (source, target) =
            direction == .toServer ? (pair.client, pair.upstream) : (pair.upstream, pair.client)
        var remaining = allowed
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while remaining > 0 {
            let count = recv(source, &buffer, min(buffer.count, remaining), 0)
            guard count > 0, Loopback.sendAll(target, buffer[..<count]) else { break }
            remaining -= count
        }
        pair.cut()
    }
}
