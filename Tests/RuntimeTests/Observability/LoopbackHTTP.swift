import Glibc
import TestSupport

/// Minimal blocking HTTP client for the loopback address.
enum LoopbackHTTP {
    struct Response {
        var status: Int
        /// Values by lower-case name.
        var headers: [String: String]
        var body: String
    }

    struct Failure: Error { let what: String }

    /// Sends one request on a new connection.
    static func send(port: Int, _ path: String, method: String = "GET") throws -> Response {
        try Connection(port: port).send(method, path)
    }

    /// A connection that stays open until it is deinitialized.
    final class Connection: Sendable {
        private let descriptor: Int32

        init(port: Int) throws {
            guard let descriptor = Loopback.connect(port: UInt16(port)) else { throw Failure(what: "connect") }
            self.descriptor = descriptor
        }

        deinit { close(descriptor) }

        func send(_ method: String, _ path: String) throws -> Response {
            let request = "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n"
            guard Array(request.utf8).withUnsafeBytes({ write(descriptor, $0.baseAddress, $0.count) }) > 0 else {
                throw Failure(what: "write")
            }
            return try receive()
        }

        private func receive() throws -> Response {
            var received: [UInt8] = []
            var chunk = [UInt8](repeating: 0, count: 65_536)
            while true {
                if let response = Self.parse(received) { return response }
                let count = read(descriptor, &chunk, chunk.count)
                guard count > 0 else { throw Failure(what: "closed after \(received.count) bytes") }
                received += chunk[..<count]
            }
        }

        /// Parses a response; returns `nil` if the response is incomplete.
        private static func parse(_ bytes: [UInt8]) -> Response? {
            let text = String(decoding: bytes, as: UTF8.self)
            guard let end = text.firstRange(of: "\r\n\r\n") else { return nil }
            let lines = text[..<end.lowerBound].split(separator: "\r\n")
            let status = lines.first?.split(separator: " ").dropFirst().first.flatMap { Int($0) }
            guard let status else { return nil }
            var headers: [String: String] = [:]
            for line in lines.dropFirst() {
                guard let colon = line.firstIndex(of: ":") else { continue }
                headers[line[..<colon].lowercased()] = String(line[line.index(after: colon)...].drop { $0 == " " })
            }
            let body = String(text[end.upperBound...])
            guard let length = headers["content-length"].flatMap({ Int($0) }), body.utf8.count >= length else {
                return nil
            }
            return Response(status: status, headers: headers, body: body)
        }
    }
}
