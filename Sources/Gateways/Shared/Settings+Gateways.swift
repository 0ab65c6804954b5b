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
        result.connections.host = gateway.riderHost
        result.connections.port = gateway.riderPort
        result.connections.maximumConnections = gateway.riderConnections
        result.connections.userConnections = Self.limit(gateway.riderUserConnections)
        result.origins = gateway.riderOrigins
        result.userLimit = Self.limit(perSecond: gateway.riderRate, burst: 20)
        result.addressLimit = Self.limit(perSecond: gateway.riderAddressRate, burst: 20)
        result.addressHeader = gateway.riderAddressHeader
        result.nearestDrivers = redis.nearestDrivers
        result.streetsFile = gateway.mapStreetsFile
        result.tileURL = gateway.mapTileURL
        return result
    }

    var driverGateway: DriverGatewaySettings {
        var result = DriverGatewaySettings()
        result.connections.host = gateway.driverHost
        result.connections.port = gateway.driverPort
        result.connections.maximumConnections = gateway.driverConnections
        result.connections.userConnections = Self.limit(gateway.driverUserConnections)
        result.driverLimit = RateLimit(
            count: gateway.driverRate, periodMilliseconds: 1000, burst: 6 * gateway.driverRate)
        result.addressLimit = Self.limit(perSecond: gateway.driverAddressRate, burst: 5)
        result.addressHeader = gateway.driverAddressHeader
        return result
    }

    private static func limit(_ count: Int) -> Int? { count == 0 ? nil : count }

    /// Returns a limit, or `nil` if `count` (per second) is 0; `burst` is a multiple of `count`.
    private static func limit(perSecond count: Int, burst: Int) -> RateLimit? {
        count == 0 ? nil : RateLimit(count: count, periodMilliseconds: 1000, burst: burst * count)
    }
}
