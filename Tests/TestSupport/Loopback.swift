import Glibc

/// Functions for blocking sockets on 127.0.0.1, used by proxies and simple HTTP clients.
package enum Loopback {
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    // CLOEXEC, because a child process that inherits a socket would keep it open after this process closes it.
    private static let streamType = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)

    /// Opens a listening socket, and returns it with its port; port 0 selects a free port.
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
            throw Failure(description: "Cannot listen on port \(port): \(String(cString: strerror(errno))).")
        }
        return (listener, UInt16(bigEndian: address.sin_port))
    }

    /// Waits for the next connection to a listener; returns `nil` if `accept` fails.
    package static func accept(_ listener: Int32) -> Int32? {
        let descriptor = Glibc.accept(listener, nil, nil)
        guard descriptor >= 0 else { return nil }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        return descriptor
    }

    /// Connects to a port; returns `nil` if no server listens.
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

    /// Closes a connection with a TCP reset.
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

    /// Returns the body of the response for `path`, received until 15 seconds of silence; `nil` without a header.
    package static func get(port: UInt16, path: String) -> String? {
        guard let descriptor = connect(port: port) else { return nil }
        defer { close(descriptor) }
        var timeout = timeval(tv_sec: 15, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        let request = "GET \(path) HTTP/1.0\r\nHost: 127.0.0.1:\(port)\r\nConnection: close\r\n\r\n"
        guard sendAll(descriptor, Array(request.utf8)[...]) else { return nil }
        var response: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while case let count = recv(descriptor, &buffer, buffer.count, 0), count > 0 { response += buffer[..<count] }
        let text = String(decoding: response, as: UTF8.self)
        return text.firstRange(of: "\r\n\r\n").map { String(text[$0.upperBound...]) }
    }

    /// Receives bytes until `range` of the buffer is filled.
    /// - Returns: `false` if the connection ends first.
    package static func fill(_ source: Int32, _ buffer: inout [UInt8], _ range: Range<Int>) -> Bool {
        buffer.withUnsafeMutableBytes { bytes in
            var index = range.lowerBound
            while index < range.upperBound {
                let count = recv(source, bytes.baseAddress?.advanced(by: index), range.upperBound - index, 0)
                guard count > 0 else { return false }
                index += count
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
