import Runtime
import Support

extension Settings {
    /// How long a token of the open map is taken, in seconds; the page asks for another one in time.
    private static let mapTokenSeconds: Int64 = 3600

    /// Makes tokens for those who open the map; `nil` where it is not open.
    func mapToken() async throws -> (@Sendable () async throws -> String)? {
        guard gateway.isMapOpen else { return nil }
        let minter = try await TokenMinter(secret: gateway.tokens.secret)
        let grant = TokenGrant(
            issuer: gateway.tokens.issuer, audience: gateway.tokens.audience, trips: ["*"], routes: ["*"],
            scopes: ["fleet", "devices"], lifetimeSeconds: Self.mapTokenSeconds)
        return { try await minter.mint(grant, now: Timestamp(milliseconds: WallClock.milliseconds())) }
    }

    /// How rider-gateway treats its clients.
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

    /// How driver-gateway treats drivers' devices.
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

    /// `nil` for no limit.
    private static func limit(_ count: Int) -> Int? { count == 0 ? nil : count }

    /// - Parameters:
    ///   - count: 0 for no limit.
    ///   - burst: how many times as many at once.
    /// - Returns: `nil` for no limit.
    private static func limit(perSecond count: Int, burst: Int) -> RateLimit? {
        count == 0 ? nil : RateLimit(count: count, periodMilliseconds: 1000, burst: burst * count)
    }
}
