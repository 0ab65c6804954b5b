/// Settings of a gateway's client connections.
struct ConnectionSettings: Sendable {
    /// Listening address; port 0 picks a free port.
    var host = "127.0.0.1"
    var port: Int
    /// Name of the setting of the port, for the error message when the port is in use.
    var portKey: String
    var pingInterval = Duration.seconds(25)
    /// Closes a connection after this long without a message or a TCP acknowledgement from the client.
    var clientTimeout = Duration.seconds(60)
    /// Closes a connection whose queued messages make no progress for this long.
    var slowReaderTimeout = Duration.seconds(10)
    /// Time limit for the first request of a connection.
    var handshakeTimeout = Duration.seconds(10)
    /// Maximum number of open connections; lowered if the limit of open files is too small.
    var maximumConnections = 50_000
    /// Maximum number of WebSockets per user, and of pending requests per user; `nil` for no limit.
    var userConnections: Int? = 16
    /// Rate limit of requests and handshakes per address; `nil` for none.
    var addressLimit: RateLimit?
    /// Header in which a proxy passes the client's address; `nil` to use the address of the connection.
    var addressHeader: String?
    /// Period over which clients spread their reconnections after a shutdown.
    var reconnectSpread = Duration.seconds(3)

    /// Time after which a silent WebSocket is considered dead: longer than a live client takes to answer a ping.
    var pingTimeout: Duration { pingInterval + .seconds(5) }
}
