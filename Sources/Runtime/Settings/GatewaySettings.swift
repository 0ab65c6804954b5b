/// Listen addresses, limits and tokens of the gateways.
package struct GatewaySettings: Sendable {
    private enum MapAccess: String, CaseIterable {
        case token, open
    }

    /// Address and limits of a gateway's server.
    package struct Server: Sendable {
        package var host: String
        /// 0 selects a free port.
        package var port: Int
        /// Requests (riders) or messages (drivers) per second per user; 0 disables the limit of riders.
        package var rate: Int
        /// Requests and handshakes per second per address; 0 disables the limit.
        package var addressRate: Int
        /// Header with the client's address, set by a proxy; `nil` to use the connection's address.
        package var addressHeader: String?
        /// Maximum open connections.
        package var connections: Int
        /// Maximum WebSockets per user, and maximum waiting requests per user; 0 disables both limits.
        package var userConnections: Int
    }

    package var rider: Server
    /// Origins whose pages may read responses; contains `*` for all.
    package var riderOrigins: Set<String>
    package var driver: Server
    package var tokens: TokenSettings
    /// File with the streets that the live map draws; `nil` for none.
    package var mapStreetsFile: String?
    /// URL of the live map's tiles, with `{z}`, `{x}` and `{y}`; `nil` for a map without tiles.
    package var mapTileURL: String?
    /// Whether the live map creates a token for everyone who opens it.
    package var isMapOpen: Bool

    init(_ reader: inout SettingsReader) {
        rider = Server(
            host: reader.text(.riderHost), port: reader.integer(.riderPort), rate: reader.integer(.riderRate),
            addressRate: reader.integer(.riderAddressRate), addressHeader: reader.optionalText(.riderAddressHeader),
            connections: reader.integer(.riderConnections), userConnections: reader.integer(.riderUserConnections))
        riderOrigins = Set(reader.text(.riderOrigins).split(separator: ",").map(String.init))
        driver = Server(
            host: reader.text(.driverHost), port: reader.integer(.driverPort), rate: reader.integer(.driverRate),
            addressRate: reader.integer(.driverAddressRate), addressHeader: reader.optionalText(.driverAddressHeader),
            connections: reader.integer(.driverConnections), userConnections: reader.integer(.driverUserConnections))
        tokens = TokenSettings(&reader)
        mapStreetsFile = reader.optionalText(.mapStreets)
        mapTileURL = reader.optionalText(.mapTiles)
        isMapOpen = reader.choice(.mapAccess, as: MapAccess.self) == .open
        guard isMapOpen else { return }
        let access = SettingDefinition.mapAccess.key
        if !["127.0.0.1", "localhost", "::1"].contains(rider.host) {
            let host = SettingDefinition.riderHost.key
            reader.report(
                [access, host],
                "\(access)=open shows every trip to everyone who connects, so \(host) must be 127.0.0.1.")
        }
        if tokens.secret == nil {
            let secret = SettingDefinition.tokenSecret.key
            reader.report([access, secret], "\(access)=open creates tokens, so \(secret) must be set.")
        }
    }
}

/// Settings for the verification of client tokens by the gateways.
package struct TokenSettings: Sendable {
    /// Secret for HS256 tokens; `nil` for none.
    package var secret: Secret?
    /// Path of a JSON Web Key Set; `nil` for none.
    package var jwksFile: String?
    /// Required `iss`; `nil` accepts any.
    package var issuer: String?
    /// Required `aud`; `nil` accepts any.
    package var audience: String?

    init(_ reader: inout SettingsReader) {
        let secret = reader.secret(.tokenSecret)
        self.secret = secret.isEmpty ? nil : secret
        jwksFile = reader.optionalText(.tokenKeyFile)
        issuer = reader.optionalText(.tokenIssuer)
        audience = reader.optionalText(.tokenAudience)
    }
}
