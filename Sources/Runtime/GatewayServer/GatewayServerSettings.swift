import Gateways
import NIOCore
import Tokens

/// How a gateway treats its clients.
package struct GatewayServerSettings: Sendable {
    /// Where clients connect to; port 0 takes any free one.
    package var host = "127.0.0.1"
    package var port = 8080
    package var pingInterval = Duration.seconds(25)
    /// A client from which nothing comes for this long is gone.
    package var silence = Duration.seconds(60)
    /// How long a client may take nothing while updates wait for it.
    package var patience = Duration.seconds(10)
    /// How long a client has for its first request.
    package var handshakeTimeout = Duration.seconds(10)
    /// Over which time clients of a gateway that stops are told to spread their reconnections.
    package var reconnectSpread = Duration.seconds(3)
    package var maximumSubscriptions = 64
    package var messageLimit = RateLimit(count: 10, periodMilliseconds: 1000, burst: 20)
    /// How often clients ask that cannot open a socket.
    package var pollingInterval = Duration.seconds(5)
    /// Tiles behind the map, with `{z}`, `{x}` and `{y}`; `nil` draws streets.
    package var tileURL: String?
    /// A file of streets to draw, as `/map/streets.json` serves it; `nil` for none.
    package var streetsFile: String?
    /// Makes a token for everyone who opens the map; `nil` where the page has to be opened with one.
    package var mapToken: (@Sendable () async throws -> String)?

    package init() {}
}
