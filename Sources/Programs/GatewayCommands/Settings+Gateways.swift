import GatewayServer
import Gateways
import Observability
import Settings
import Tokens
import Tracking

extension Settings {
    /// What everyone may see who opens a map that is open, in seconds; the page asks again in time.
    private static let mapTokenSeconds: Int64 = 3600

    /// Makes tokens for those who open the map; `nil` where it is not open.
    func mapToken() async throws -> (@Sendable () async throws -> String)? {
        guard gateway.isMapOpen else { return nil }
        let minter = try await TokenMinter(secret: gateway.tokens.secret)
        let grant = TokenGrant(
            issuer: gateway.tokens.issuer, audience: gateway.tokens.audience, trips: ["*"], routes: ["*"],
            scopes: ["fleet"], lifetimeSeconds: Self.mapTokenSeconds)
        return { try await minter.mint(grant, now: Timestamp(milliseconds: WallClock.milliseconds())) }
    }

    /// How rider-gateway treats its clients.
    var riderGateway: RiderGatewaySettings {
        var result = RiderGatewaySettings()
        result.connections.host = gateway.riderHost
        result.connections.port = gateway.riderPort
        result.origins = gateway.riderOrigins
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
        result.driverLimit = RateLimit(
            count: gateway.driverRate, periodMilliseconds: 1000, burst: 6 * gateway.driverRate)
        if gateway.driverAddressRate > 0 {
            result.addressLimit = RateLimit(
                count: gateway.driverAddressRate, periodMilliseconds: 1000, burst: 5 * gateway.driverAddressRate)
        }
        result.addressHeader = gateway.driverAddressHeader
        return result
    }
}
