/// Where the clients of a load connect to, on this machine.
struct LoadTarget: Sendable {
    var port: Int
    /// Shown by every client; empty for a server that asks for none.
    var token: String

    /// The request that opens a socket.
    var handshake: String {
        let lines = [
            "GET /realtime HTTP/1.1", "Host: 127.0.0.1:\(port)", "Upgrade: websocket", "Connection: Upgrade",
            // A server has to answer any key; it only keeps caches from answering in its place.
            "Sec-WebSocket-Key: c2lnaHRsaW5lIGJlbmNobQ==", "Sec-WebSocket-Version: 13",
        ]
        let authorization = token.isEmpty ? [] : ["Authorization: Bearer \(token)"]
        return (lines + authorization).joined(separator: "\r\n") + "\r\n\r\n"
    }
}
