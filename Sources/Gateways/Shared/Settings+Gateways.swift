import Runtime
import Support

extension Settings {
    /// Lifetime of a token of the open map, in seconds; the page requests a new one before that.
    private static let mapTokenSeconds: Int64 = 3600

    /// Returns a function that creates tokens for users of the open map; `nil` if the map requires a token.
    func mapToken() async throws -> (@Sendable () async throws -> String)? {
        guard gateway.isMapOpen else { return nil }
        let minter = try await TokenMinter(secret: gateway.tokens.secret)
        let grant = TokenGrant(
            issuer: gateway.tokens.issuer, audience: gateway.tokens.audience, trips: ["*"], routes: ["*"],
            scopes: ["fleet", "devices"], lifetimeSeconds: Self.mapTokenSeconds)
        return { try await minter.mint(grant, now: Timestamp(milliseconds: WallClock.milliseconds())) }
    }

    var riderGateway: RiderGatewaySettings {
        var result = RiderGatewaySettings()
        result.connections.apply(gateway.rider, addressBurst: 20)
        result.origins = gateway.riderOrigins
        result.userLimit = RateLimit(perSecond: gateway.rider.rate, burst: 20)
        result.nearestDrivers = redis.nearestDrivers
        result.streetsFile = gateway.mapStreetsFile
        result.tileURL = gateway.mapTileURL
        return result
    }

    var driverGateway: DriverGatewaySettings {
        var result = DriverGatewaySettings()
        result.connections.apply(gateway.driver, addressBurst: 5)
        result.driverLimit = RateLimit(
            count: gateway.driver.rate, periodMilliseconds: 1000, burst: 6 * gateway.driver.rate)
        return result
    }
}

extension ConnectionSettings {
    fileprivate mutating func apply(_ server: GatewaySettings.Server, addressBurst: Int) {
        (host, port, maximumConnections) = (server.host, server.port, server.connections)
        userConnections = server.userConnections == 0 ? nil : server.userConnections
        addressLimit = RateLimit(perSecond: server.addressRate, burst: addressBurst)
        addressHeader = server.addressHeader
    }
}

extension RateLimit {
    /// Creates a limit, or `nil` if `count` is 0; `burst` is a multiple of `count`.
    fileprivate init?(perSecond count: Int, burst: Int) {
        guard count > 0 else { return nil }
        self.init(count: count, periodMilliseconds: 1000, burst: burst * count)
    }
}
