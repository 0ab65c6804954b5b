import Foundation

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
    private let server: (host: String, port: Int32)
    private let holdsCut: Bool
    private let lock = NSLock()
    private var limits: [Limit]

    /// With `holdsCut` a direction with a limit of 0 falls silent instead of the connection being closed.
    init(to server: (host: String, port: Int32), limits: [Limit], holdsCut: Bool = false) throws {
        self.server = server
        self.holdsCut = holdsCut
        self.limits = limits
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        self.listener = listener
        var address = Self.loopback(port: 0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                guard bind(listener, generic, length) == 0, listen(listener, 16) == 0 else { return Int32(-1) }
                return getsockname(listener, generic, &length)
            }
        }
        guard result == 0 else { throw POSIXError(.EADDRNOTAVAIL) }
        port = Int32(UInt16(bigEndian: address.sin_port))
        let thread = Thread { [self] in accept() }
        thread.start()
    }

    /// Takes no further connections.
    func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

    private static func loopback(port: Int32) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }

    private func nextLimit() -> Limit? {
        lock.withLock { limits.isEmpty ? nil : limits.removeFirst() }
    }

    private func accept() {
        while case let client = Glibc.accept(listener, nil, nil), client >= 0 {
            let upstream = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            var address = Self.loopback(port: server.port)
            let result = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(upstream, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            guard result == 0 else {
                close(client)
                close(upstream)
                continue
            }
            let limit = nextLimit()
            let pair = Pair(client: client, upstream: upstream)
            for direction in [Limit.Direction.toServer, .toClient] {
                let allowed = limit.flatMap { $0.direction == direction ? $0.bytes : nil }
                if holdsCut, allowed == 0 { continue }
                let thread = Thread { Self.pump(pair, direction, allowed: allowed ?? .max) }
                thread.start()
            }
        }
        close(listener)
    }

    /// Two sockets that are closed when the second of their pumps lets go.
    private final class Pair: Sendable {
        let client: Int32
        let upstream: Int32

        init(client: Int32, upstream: Int32) {
            self.client = client
            self.upstream = upstream
        }

        deinit {
            close(client)
            close(upstream)
        }
    }

    private static func pump(_ pair: Pair, _ direction: Limit.Direction, allowed: Int) {
        let (source, target) =
            direction == .toServer ? (pair.client, pair.upstream) : (pair.upstream, pair.client)
        var left = allowed
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while left > 0 {
            let count = recv(source, &buffer, min(buffer.count, left), 0)
            guard count > 0, send(target, buffer, count, Int32(MSG_NOSIGNAL)) == count else { break }
            left -= count
        }
        shutdown(pair.client, Int32(SHUT_RDWR))
        shutdown(pair.upstream, Int32(SHUT_RDWR))
    }
}
