import NIOHTTP1

struct SocketHandshake {
    let sessionID: String
    let verification: Result<TokenClaims, SocketRefusal>
    let socket: SocketWriter
    let head: HTTPRequestHead

    /// The token's claims, or claims without rights if the client is refused.
    var claims: TokenClaims { (try? verification.get()) ?? TokenClaims(expiresAt: .latest) }

    /// Returns the first value of a query parameter, without percent-decoding.
    func parameter(_ name: String) -> String? { RequestQuery.value(of: name, in: head.uri) }
}

/// Reason why a WebSocket is closed right after the handshake.
enum SocketRefusal: Error {
    /// The address exceeds its rate limit; `wait` is in milliseconds.
    case tooFast(wait: Int64)
    case token(TokenRejection)
}

/// Reader of query parameters whose values need no percent-decoding.
enum RequestQuery {
    static func value(of name: String, in uri: String) -> String? {
        guard let query = uri.split(separator: "?", maxSplits: 1).dropFirst().first else { return nil }
        let prefix = "\(name)="
        return query.split(separator: "&").first { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }
    }
}
