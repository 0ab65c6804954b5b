import Domain

/// Settings of rider-gateway.
struct RiderGatewaySettings: Sendable {
    var connections = ConnectionSettings(port: 8080, portKey: "SIGHTLINE_RIDER_PORT")
    var maximumSubscriptions = 64
    /// Timeout for the acknowledgement of an event.
    ///
    /// Longer than the 10 s after which a slow reader is closed, and shorter than the 60 s of silence after which a
    /// connection counts as dead.
    var acknowledgementTimeout = Duration.seconds(15)
    var messageLimit = RateLimit(count: 10, periodMilliseconds: 1000, burst: 20)
    /// Requests of one user (the subject of a token); `nil` for no limit.
    var userLimit: RateLimit?
    /// Requests and handshakes from one address; `nil` for no limit.
    var addressLimit: RateLimit?
    /// The header in which a proxy sends the client's address; `nil` to use the connection's address.
    var addressHeader: String?
    /// How often clients poll if they cannot open a socket.
    var pollingInterval = Duration.seconds(5)
    /// Origins allowed by CORS, such as `https://app.example.com`; `*` for all.
    var origins: Set<String> = []
    /// Which drivers nearest-driver searches return; must match `position-worker`.
    var nearestDrivers = NearestDrivers.unflagged
    /// URL of the map's tiles with `{z}`, `{x}` and `{y}`; `nil` to draw streets instead.
    var tileURL: String?
    /// Path of the file served as `/map/streets.json`; `nil` for none.
    var streetsFile: String?
    /// Creates a token for anyone who opens the map; `nil` if the map's link must have a token.
    var mapToken: (@Sendable () async throws -> String)?

    init() {}
}
