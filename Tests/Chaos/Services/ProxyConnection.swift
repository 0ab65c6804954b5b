import Glibc

/// The two sockets of a connection through a ``Proxy``, closed when the last of its threads lets go.
final class ProxyConnection: Sendable {
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

    /// Ends both halves; whoever waits for bytes is woken.
    func cut() {
        shutdown(client, Int32(SHUT_RDWR))
        shutdown(upstream, Int32(SHUT_RDWR))
    }
}
