import Glibc
import TestSupport

/// TCP connection to the loopback address; reads block for up to four minutes.
final class RawConnection: Sendable {
    struct Failure: Error { let what: String }

    private let descriptor: Int32

    init(port: Int) throws {
        guard let descriptor = Loopback.connect(port: UInt16(port)) else { throw Failure(what: "connect: \(errno)") }
        self.descriptor = descriptor
        var limit = timeval(tv_sec: 240, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(descriptor) }

    /// Returns `false` if the other side has closed the connection.
    @discardableResult
    func send(_ text: String) -> Bool { Loopback.sendAll(descriptor, Array(text.utf8)[...]) }

    /// Reads until the other side closes the connection; `nil` after four minutes of silence.
    func readToEnd() -> String? {
        var received: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = recv(descriptor, &chunk, chunk.count, 0)
            if count > 0 {
                received += chunk[..<count]
            } else if count == 0 || errno == ECONNRESET {
                return String(decoding: received, as: UTF8.self)
            } else {
                return nil
            }
        }
    }

    /// Whether the other side has closed the connection.
    var isClosed: Bool {
        var byte: UInt8 = 0
        let count = recv(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
        return count == 0 || (count < 0 && errno == ECONNRESET)
    }

    /// Requests `/healthz`, and returns the status line of the response.
    func health() throws -> String {
        guard send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n") else { throw Failure(what: "closed") }
        var received: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while !received.contains(10) || !String(decoding: received, as: UTF8.self).contains("}\n") {
            let count = recv(descriptor, &chunk, chunk.count, 0)
            guard count > 0 else { throw Failure(what: "no answer after \(received.count) bytes: \(errno)") }
            received += chunk[..<count]
        }
        return String(String(decoding: received, as: UTF8.self).prefix { $0 != "\r" && $0 != "\r\n" })
    }
}
