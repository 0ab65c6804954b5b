import NIOHTTP1

/// A WebSocket that was let in, or is to be refused.
struct SocketHandshake: SessionOpening {
    let sessionID: String
    let verdict: Result<TokenClaims, SocketRefusal>
    let socket: SocketWriter
    let head: HTTPRequestHead

    /// The claims, or those of a client that may do nothing and is about to be refused.
    var claims: TokenClaims { (try? verdict.get()) ?? TokenClaims(expiresAt: .latest) }

    var writer: any SessionWriter { socket }

    /// The first value of a parameter of the request, as it is in the URL.
    func parameter(_ name: String) -> String? { RequestQuery.value(of: name, in: head.uri) }
}
