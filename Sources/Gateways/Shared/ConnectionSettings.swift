import NIOCore

/// How a gateway treats the connections of its clients.
package struct ConnectionSettings: Sendable {
    /// Where clients connect to; port 0 takes any free one.
    package var host = "127.0.0.1"
    package var port: Int
    /// The variable that sets the port, for the error of a port that is taken.
    package var portKey: String
    package var pingInterval = Duration.seconds(25)
    /// A client from which nothing comes for this long is gone: no message, or no acknowledgement of its system.
    package var silence = Duration.seconds(60)
    /// How long a client may take nothing while messages wait for it.
    package var patience = Duration.seconds(10)
    /// How long a client has for its first request.
    package var handshakeTimeout = Duration.seconds(10)
    /// Connections of all clients at once; fewer where the process may not have so many descriptors.
    package var maximumConnections = 50_000
    /// WebSockets of one user at once, and as many requests whose answer waits; `nil` for no limit.
    package var userConnections: Int? = 16
    /// Over which time clients of a gateway that stops are told to spread their reconnections.
    package var reconnectSpread = Duration.seconds(3)

    /// After which silence a client of a WebSocket must be gone: longer than a live one takes to answer a ping.
    var pingSilence: Duration { pingInterval + .seconds(5) }

    package init(port: Int, portKey: String) {
        self.port = port
        self.portKey = portKey
    }
}
