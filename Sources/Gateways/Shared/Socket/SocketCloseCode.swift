/// Close codes of WebSockets: those of RFC 6455, and ours from 4000.
enum SocketCloseCode: UInt16, CaseIterable, Sendable {
    case normal = 1000
    case goingAway = 1001
    case protocolError = 1002
    case unacceptableData = 1003
    case tooLarge = 1009
    case serviceRestart = 1012
    case tryAgainLater = 1013
    case token = 4401
    case slowReader = 4408
    case rateLimited = 4429

    var label: String { String(rawValue) }
}
