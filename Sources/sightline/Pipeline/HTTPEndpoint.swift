import Glibc
import Recordings

/// A minimal HTTP/1.0 client for one `http://host:port`, without a client library.
package struct HTTPEndpoint: Sendable {
    package let host: String
    package let port: String

    /// Time limit for each socket operation.
    private let timeoutMilliseconds: Int
    private static let maximumResponseBytes = 4 << 20

    /// - Throws: ``InputError`` for an invalid address.
    package init(_ url: String, timeoutMilliseconds: Int = 500) throws {
        let rest = url.hasPrefix("http://") ? url.dropFirst(7) : Substring(url)
        let address = rest.prefix { $0 != "/" }
        guard let colon = address.lastIndex(of: ":"), colon > address.startIndex,
            let port = UInt16(address[address.index(after: colon)...])
        else { throw InputError("\(url) is not a valid address; use http://HOST:PORT, such as http://127.0.0.1:9101.") }
        self.init(
            host: String(address[..<colon]), port: Int(port), timeoutMilliseconds: timeoutMilliseconds)
    }

    package init(host: String, port: Int, timeoutMilliseconds: Int = 500) {
        self.host = host
        self.port = String(port)
        self.timeoutMilliseconds = timeoutMilliseconds
    }

    /// Returns the body of the response with any status; `nil` without a response in time.
    package func get(_ path: String) -> String? { request(path)?.body }

    /// Sends a request; returns `nil` without a response in time.
    ///
    /// `json`: the request body. `token`: a bearer token.
    package func request(
        _ path: String, method: String = "GET", json: String = "", token: String? = nil
    ) -> (status: Int, body: String)? {
        guard let socket = connect() else { return nil }
        defer { close(socket) }
        var lines = ["\(method) \(path) HTTP/1.0", "Host: \(host):\(port)", "Connection: close"]
        if let token { lines.append("Authorization: Bearer \(token)") }
        if !json.isEmpty { lines += ["Content-Type: application/json", "Content-Length: \(json.utf8.count)"] }
        let request = lines.map { "\($0)\r\n" }.joined() + "\r\n" + json
        guard
            request.utf8.withContiguousStorageIfAvailable({ send(socket, $0.baseAddress, $0.count, 0) == $0.count })
                == true
        else { return nil }
        var response: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while response.count < Self.maximumResponseBytes, case let count = recv(socket, &buffer, buffer.count, 0),
            count > 0
        {
            response += buffer[..<count]
        }
        let text = String(decoding: response, as: UTF8.self)
        // "HTTP/1.1 200 OK"
        let words = text.prefix { $0 != "\r\n" }.split(separator: " ", maxSplits: 2)
        guard let head = text.firstRange(of: "\r\n\r\n"), words.count >= 2, words[0].hasPrefix("HTTP/1."),
            let status = Int(words[1])
        else { return nil }
        return (status, String(text[head.upperBound...]))
    }

    private func connect() -> Int32? {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var addresses: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, port, &hints, &addresses) == 0 else { return nil }
        defer { freeaddrinfo(addresses) }
        var next = addresses
        while let address = next?.pointee {
            let descriptor = socket(address.ai_family, address.ai_socktype, address.ai_protocol)
            if descriptor >= 0 {
                var timeout = timeval(
                    tv_sec: timeoutMilliseconds / 1000, tv_usec: .init(timeoutMilliseconds % 1000 * 1000))
                let size = socklen_t(MemoryLayout<timeval>.size)
                setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, size)
                setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &timeout, size)
                let isOpen = Glibc.connect(descriptor, address.ai_addr, address.ai_addrlen) == 0
                if isOpen { return descriptor }
                close(descriptor)
            }
            next = address.ai_next
        }
        return nil
    }
}
