import Runtime
import Support

extension Settings {
    /// Lifetime of a token for the map without login, in seconds.
    private static let mapTokenSeconds: Int64 = 3600

    /// Returns a function that creates tokens for the map without login; `nil` if users need their own tokens.
    func mapToken() throws -> (@Sendable () throws -> String)? {
        guard gateway.isMapOpen else { return nil }
        let minter = try TokenMinter(secret: gateway.tokens.secret)
        let grant = TokenGrant(
            issuer: gateway.tokens.issuer, audience: gateway.tokens.audience, trips: ["*"], routes: ["*"],
            scopes: ["fleet", "devices"], lifetimeSeconds: Self.mapTokenSeconds)
        return { try minter.mint(grant, now: Timestamp(milliseconds: WallClock.milliseconds())) }
    }

    var riderGateway: RiderGatewaySettings {
        var result = RiderGatewaySettings()
        result.connections.apply(gateway.rider, addressBurstFactor: 20)
        result.origins = gateway.riderOrigins
        result.userLimit = RateLimit(perSecond: gateway.rider.rate, burstFactor: 20)
        result.nearestDrivers = redis.nearestDrivers
        result.streetsFile = gateway.mapStreetsFile
        result.tileURL = gateway.mapTileURL
        return result
    }

    var driverGateway: DriverGatewaySettings {
        var result = DriverGatewaySettings()
        result.connections.apply(gateway.driver, addressBurstFactor: 5)
        result.driverLimit = RateLimit(
            count: gateway.driver.rate, periodMilliseconds: 1000, burst: 6 * gateway.driver.rate)
        return result
    }
}

extension ConnectionSettings {
    fileprivate mutating func apply(_ server: GatewaySettings.Server, addressBurstFactor: Int) {
        (host, port, maximumConnections) = (server.host, server.port, server.connections)
        userConnections = server.userConnections == 0 ? nil : server.userConnections
        addressLimit = RateLimit(perSecond: server.addressRate, burstFactor: addressBurstFactor)
        addressHeader = server.addressHeader
    }
}

extension RateLimit {
    /// Creates a limit with a burst of `burstFactor` × `count`; `nil`, no limit, if `count` is 0.
    fileprivate init?(perSecond count: Int, burstFactor: Int) {
        guard count > 0 else { return nil }
        self.init(count: count, periodMilliseconds: 1000, burst: burstFactor * count)
    }
}
