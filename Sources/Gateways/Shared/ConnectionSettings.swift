/// Settings of a gateway's client connections.
struct ConnectionSettings: Sendable {
    /// Address to listen on; port 0 selects a free port.
    var host = "127.0.0.1"
    var port: Int
    /// Name of the setting of the port, for the error message when the port is in use.
    var portKey: String
    var pingInterval = Duration.seconds(25)
    /// Time without messages, or with unacknowledged TCP data, after which a connection is closed.
    var clientTimeout = Duration.seconds(60)
    /// Time without progress of the queued messages after which a connection is closed.
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

    /// Time without messages after which a WebSocket may be replaced; live clients answer pings sooner.
    var pingTimeout: Duration { pingInterval + .seconds(5) }
}
