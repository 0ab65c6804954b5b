import GatewayServer
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

    /// How the gateway treats its clients.
    var riderGateway: GatewayServerSettings {
        var result = GatewayServerSettings()
        result.host = gateway.riderHost
        result.port = gateway.riderPort
        result.streetsFile = gateway.mapStreetsFile
        result.tileURL = gateway.mapTileURL
        return result
    }
}
