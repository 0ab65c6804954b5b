import Domain
import Foundation
import TestSupport

/// Stands between a client and a server and cuts a connection after some bytes have passed in one direction.
///
/// Each connection gets the next limit of `limits`; once those are used up connections are left alone.
final class CuttingProxy: @unchecked Sendable {
    // @unchecked: the limits are guarded by the lock, everything else is set once.
    struct Limit {
        enum Direction { case toServer, toClient }
        var direction: Direction
        var bytes: Int
    }

    let port: Int32
    private let listener: Int32
    private let server: UInt16
    private let holdsCut: Bool
    private let lock = NSLock()
    private var limits: [Limit]

    /// With `holdsCut` a direction with a limit of 0 falls silent instead of the connection being closed.
    ///
    /// `port`: any free one where it is 0.
    init(to server: (host: String, port: Int32), limits: [Limit], holdsCut: Bool = false, port: UInt16 = 0) throws {
        self.server = UInt16(server.port)
        self.holdsCut = holdsCut
        self.limits = limits
        let (listener, port) = try Loopback.listen(port: port)
        self.listener = listener
        self.port = Int32(port)
        let thread = Thread { [self] in accept() }
        thread.start()
    }

    /// Takes no further connections.
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
                if holdsCut, allowed == 0 { continue }
                let thread = Thread { Self.pump(pair, direction, allowed: allowed ?? .max) }
                thread.start()
            }
        }
        close(listener)
    }

    private static func pump(_ pair: ProxyConnection, _ direction: Limit.Direction, allowed: Int) {
        let (source, target) =
            direction == .toServer ? (pair.client, pair.upstream) : (pair.upstream, pair.client)
        var left = allowed
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while left > 0 {
            let count = recv(source, &buffer, min(buffer.count, left), 0)
            guard count > 0, Loopback.sendAll(target, buffer[..<count]) else { break }
            left -= count
        }
        pair.cut()
    }
}
