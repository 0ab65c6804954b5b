import Glibc

/// Sockets on 127.0.0.1, blocking: for proxies, and for asking whether a server listens.
package enum Loopback {
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    // Not for the children: a socket that one of them held would stay open after its end here.
    private static let streamType = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)

    /// A socket that listens, and its port.
    package static func listen(port: UInt16) throws(Failure) -> (socket: Int32, port: UInt16) {
        let listener = socket(AF_INET, streamType, 0)
        var on: Int32 = 1
        setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
        var address = address(port: port)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                guard bind(listener, generic, length) == 0, Glibc.listen(listener, 128) == 0 else { return Int32(-1) }
                return getsockname(listener, generic, &length)
            }
        }
        guard result == 0 else {
            close(listener)
            throw Failure(description: "Port \(port) cannot be had: \(String(cString: strerror(errno))).")
        }
        return (listener, UInt16(bigEndian: address.sin_port))
    }

    /// The next connection to a listener; `nil` when there was none after all.
    package static func accept(_ listener: Int32) -> Int32? {
        let descriptor = Glibc.accept(listener, nil, nil)
        guard descriptor >= 0 else { return nil }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        return descriptor
    }

    /// A connection; `nil` when no server listens.
    package static func connect(port: UInt16) -> Int32? {
        let descriptor = socket(AF_INET, streamType, 0)
        var address = address(port: port)
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else {
            close(descriptor)
            return nil
        }
        var on: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
        return descriptor
    }

    /// Closes a connection so that the other side is told it was reset.
    package static func reset(_ descriptor: Int32) {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
        close(descriptor)
    }

    package static func sendAll(_ target: Int32, _ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.withUnsafeBytes { bytes in
            var sent = 0
            while sent < bytes.count {
                let count = send(target, bytes.baseAddress?.advanced(by: sent), bytes.count - sent, Int32(MSG_NOSIGNAL))
                guard count > 0 else { return false }
                sent += count
            }
            return true
        }
    }

    /// The body of a worker's answer; `nil` when there is none within a second.
    package static func get(port: UInt16, path: String) -> String? {
        guard let descriptor = connect(port: port) else { return nil }
        defer { close(descriptor) }
        var timeout = timeval(tv_sec: 1, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        let request = "GET \(path) HTTP/1.0\r\nHost: 127.0.0.1:\(port)\r\nConnection: close\r\n\r\n"
        guard sendAll(descriptor, Array(request.utf8)[...]) else { return nil }
        var answer: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while case let count = recv(descriptor, &chunk, chunk.count, 0), count > 0 { answer += chunk[..<count] }
        let text = String(decoding: answer, as: UTF8.self)
        return text.firstRange(of: "\r\n\r\n").map { String(text[$0.upperBound...]) }
    }

    /// Waits for as many bytes as `range` has.
    /// - Returns: `false` when the connection ends before.
    package static func fill(_ source: Int32, _ buffer: inout [UInt8], _ range: Range<Int>) -> Bool {
        buffer.withUnsafeMutableBytes { bytes in
            var place = range.lowerBound
            while place < range.upperBound {
                let count = recv(source, bytes.baseAddress?.advanced(by: place), range.upperBound - place, 0)
                guard count > 0 else { return false }
                place += count
            }
            return true
        }
    }

    private static func address(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }
}
