import Glibc
import Synchronization

/// The two sockets of a connection through a proxy, closed when the last reference is released.
package final class ProxyConnection: Sendable {
    package let client: Int32
    package let upstream: Int32

    private let clientWrites = Mutex(())

    package init(client: Int32, upstream: Int32) {
        self.client = client
        self.upstream = upstream
    }

    deinit {
        close(client)
        close(upstream)
    }

    /// Sends a message to the client without interleaving it with messages of other threads.
    /// - Returns: whether all bytes were sent.
    package func sendToClient(_ bytes: ArraySlice<UInt8>) -> Bool {
        clientWrites.withLock { _ in Loopback.sendAll(client, bytes) }
    }

    /// Shuts down both sockets and wakes threads that wait for bytes.
    package func cut() {
        shutdown(client, Int32(SHUT_RDWR))
        shutdown(upstream, Int32(SHUT_RDWR))
    }
}
