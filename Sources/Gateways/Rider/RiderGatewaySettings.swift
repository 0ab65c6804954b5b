import Model

/// How rider-gateway treats its clients.
package struct RiderGatewaySettings: Sendable {
    package var connections = ConnectionSettings(port: 8080, portKey: "SIGHTLINE_RIDER_PORT")
    package var maximumSubscriptions = 64
    /// How long a client that acknowledges events may take to do so.
    ///
    /// Longer than the ten seconds after which a client that takes nothing is told that it is slow, and much shorter than
    /// it takes until a connection without answers is noticed otherwise.
    package var acknowledgementTimeout = Duration.seconds(15)
    package var messageLimit = RateLimit(count: 10, periodMilliseconds: 1000, burst: 20)
    /// Requests of one user, the subject of a token; `nil` for no limit.
    package var userLimit: RateLimit?
    /// Requests and handshakes from one address; `nil` for no limit.
    package var addressLimit: RateLimit?
    /// The header in which a proxy names its client; `nil` where the address of the connection counts.
    package var addressHeader: String?
    /// How often clients ask that cannot open a socket.
    package var pollingInterval = Duration.seconds(5)
    /// Sites whose pages may read the answers of requests, such as `https://app.example.com`; `*` for all.
    package var origins: Set<String> = []
    /// Who is left out when the drivers near a place are asked for, as for `position-worker`.
    package var nearestDrivers = NearestDrivers.unflagged
    /// Tiles behind the map, with `{z}`, `{x}` and `{y}`; `nil` draws streets.
    package var tileURL: String?
    /// A file of streets to draw, as `/map/streets.json` serves it; `nil` for none.
    package var streetsFile: String?
    /// Makes a token for everyone who opens the map; `nil` where the page has to be opened with one.
    package var mapToken: (@Sendable () async throws -> String)?

    package init() {}
}
