import CFaultSimulation
import Glibc

/// A socket as the clients of Redis and Postgres use it.
protocol SimulatedSocket: AnyObject {
    /// Notified when an event may have occurred.
    var changed: Signal { get }
    /// Those of `events` (`POLLIN`, `POLLOUT`) that have occurred.
    func ready(for events: Int16) -> Int16
    /// Sends bytes to the server.
    /// - Returns: `false` if the connection is broken.
    func send(_ bytes: UnsafeRawBufferPointer) -> Bool
}

/// The open sockets of all processes, by descriptor.
enum SimulatedSockets {
    // Safe, because only one fiber, or the scheduler, runs at a time.
    nonisolated(unsafe) private static var sockets: [Int32: any SimulatedSocket] = [:]
    nonisolated(unsafe) private static var next = sl_first_socket

    /// Adds a socket; returns its descriptor.
    static func add(_ socket: any SimulatedSocket) -> Int32 {
        next += 1
        sockets[next] = socket
        return next
    }

    static func socket(at descriptor: Int32) -> (any SimulatedSocket)? { sockets[descriptor] }

    static func remove(_ descriptor: Int32) { sockets[descriptor] = nil }

    static func removeAll() {
        sockets = [:]
        next = sl_first_socket
    }

    static func wait(on descriptor: Int32, for events: Int16, milliseconds: Int32) -> Int16 {
        guard let socket = sockets[descriptor] else { return Int16(POLLNVAL) }
        let limit = milliseconds < 0 ? nil : Int64.milliseconds(Int(milliseconds))
        socket.changed.wait(upTo: limit) { socket.ready(for: events) != 0 }
        return socket.ready(for: events)
    }

    static func send(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int {
        World.running.runningProcess.handleWrite()
        guard let socket = sockets[descriptor], socket.send(bytes) else {
            errno = EPIPE
            return -1
        }
        return bytes.count
    }
}
