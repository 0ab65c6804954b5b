import Glibc
import Synchronization

/// The two sockets of a connection through a proxy, closed when the last of its threads lets go.
package final class ProxyConnection: Sendable {
    package let client: Int32
    package let upstream: Int32

    private let answers = Mutex(())

    package init(client: Int32, upstream: Int32) {
        self.client = client
        self.upstream = upstream
    }

    deinit {
        close(client)
        close(upstream)
    }

    /// Sends to the client what is to stay in one piece, whichever thread sends it.
    /// - Returns: whether all of it could be sent.
    package func sendToClient(_ bytes: ArraySlice<UInt8>) -> Bool {
        answers.withLock { _ in Loopback.sendAll(client, bytes) }
    }

    /// Ends both halves; a thread that waits for bytes is woken.
    package func cut() {
        shutdown(client, Int32(SHUT_RDWR))
        shutdown(upstream, Int32(SHUT_RDWR))
    }
}
