/// Listen addresses, limits and tokens of the gateways.
package struct GatewaySettings: Sendable {
    private enum MapAccess: String, CaseIterable {
        case token, open
    }

    package var riderHost: String
    /// 0 selects a free port.
    package var riderPort: Int
    /// Origins whose pages may read responses; contains `*` for all.
    package var riderOrigins: Set<String>
    /// Requests per second per token subject; 0 disables the limit.
    package var riderRate: Int
    /// Requests and handshakes per second per address; 0 disables the limit.
    package var riderAddressRate: Int
    /// Header with the client's address, set by a proxy; `nil` to use the connection's address.
    package var riderAddressHeader: String?
    /// Maximum open connections.
    package var riderConnections: Int
    /// Maximum WebSockets per user, and separately held requests; 0 disables the limit.
    package var riderUserConnections: Int
    package var driverHost: String
    /// 0 selects a free port.
    package var driverPort: Int
    /// Messages per second per driver.
    package var driverRate: Int
    /// Requests and handshakes per second per address; 0 disables the limit.
    package var driverAddressRate: Int
    /// Header with the client's address, set by a proxy; `nil` to use the connection's address.
    package var driverAddressHeader: String?
    /// Maximum open connections.
    package var driverConnections: Int
    /// Maximum WebSockets per driver, and separately held requests; 0 disables the limit.
    package var driverUserConnections: Int
    package var tokens: TokenSettings
    /// File with the streets that the live map draws.
    package var mapStreetsFile: String?
    /// URL of the live map's tiles.
    package var mapTileURL: String?
    /// Whether the live map creates a token for everyone who opens it.
    package var isMapOpen: Bool

    init(_ reader: inout SettingsReader) {
        riderHost = reader.text(.riderHost)
        riderPort = reader.integer(.riderPort)
        riderOrigins = Set(reader.text(.riderOrigins).split(separator: ",").map(String.init))
        riderRate = reader.integer(.riderRate)
        riderAddressRate = reader.integer(.riderAddressRate)
        riderAddressHeader = reader.optionalText(.riderAddressHeader)
        riderConnections = reader.integer(.riderConnections)
        riderUserConnections = reader.integer(.riderUserConnections)
        driverHost = reader.text(.driverHost)
        driverPort = reader.integer(.driverPort)
        driverRate = reader.integer(.driverRate)
        driverAddressRate = reader.integer(.driverAddressRate)
        driverAddressHeader = reader.optionalText(.driverAddressHeader)
        driverConnections = reader.integer(.driverConnections)
        driverUserConnections = reader.integer(.driverUserConnections)
        tokens = TokenSettings(&reader)
        mapStreetsFile = reader.optionalText(.mapStreets)
        mapTileURL = reader.optionalText(.mapTiles)
        isMapOpen = reader.choice(.mapAccess, as: MapAccess.self) == .open
        guard isMapOpen else { return }
        let access = SettingDefinition.mapAccess.key
        if !["127.0.0.1", "localhost", "::1"].contains(riderHost) {
            let host = SettingDefinition.riderHost.key
            reader.report(
                [access, host],
                "\(access)=open shows every trip to everyone who connects, so \(host) must be 127.0.0.1.")
        }
        if tokens.secret == nil {
            let secret = SettingDefinition.tokenSecret.key
            reader.report([access, secret], "\(access)=open makes tokens, so \(secret) must be set.")
        }
    }
}
