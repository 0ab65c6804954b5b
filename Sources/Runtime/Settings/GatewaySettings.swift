/// What clients connect to, and what they show to be let in.
package struct GatewaySettings: Sendable {
    /// Who may open the live map.
    private enum MapAccess: String, CaseIterable {
        /// Holders of a token.
        case token
        /// Everyone who reaches it.
        case open
    }

    /// Where rider-gateway listens for riders.
    package var riderHost: String
    /// 0 takes any free port.
    package var riderPort: Int
    /// Sites whose pages may read the answers of requests; `*` in it for all.
    package var riderOrigins: Set<String>
    /// Requests per second of the subject of a token; 0 for no limit.
    package var riderRate: Int
    /// Requests and handshakes per second from one address; 0 for no limit.
    package var riderAddressRate: Int
    /// The header that names the address of a proxy's client; `nil` where the connection's own counts.
    package var riderAddressHeader: String?
    /// Connections of riders at once.
    package var riderConnections: Int
    /// WebSockets of one user at once, and as many held requests; 0 for no limit.
    package var riderUserConnections: Int
    /// Where driver-gateway listens for drivers' devices.
    package var driverHost: String
    /// 0 takes any free port.
    package var driverPort: Int
    /// Messages of one driver per second.
    package var driverRate: Int
    /// Requests and handshakes per second from one address; 0 for no limit.
    package var driverAddressRate: Int
    /// The header that names the address of a proxy's client; `nil` where the connection's own counts.
    package var driverAddressHeader: String?
    /// Connections of devices at once.
    package var driverConnections: Int
    /// WebSockets of one driver at once, and as many held requests; 0 for no limit.
    package var driverUserConnections: Int
    package var tokens: TokenSettings
    /// Streets that the live map draws; `nil` for none.
    package var mapStreetsFile: String?
    /// Tiles behind the live map; `nil` for none.
    package var mapTileURL: String?
    /// Whether the live map makes a token for everyone who opens it.
    package var isMapOpen: Bool

    init(_ reader: inout SettingsReader) {
        riderHost = reader.text(.riderHost)
        riderPort = reader.integer(.riderPort)
        riderOrigins = Set(reader.text(.riderOrigins).split(separator: ",").map(String.init))
        riderRate = reader.integer(.riderRate)
        riderAddressRate = reader.integer(.riderAddressRate)
        riderAddressHeader = Self.header(.riderAddressHeader, &reader)
        riderConnections = reader.integer(.riderConnections)
        riderUserConnections = reader.integer(.riderUserConnections)
        driverHost = reader.text(.driverHost)
        driverPort = reader.integer(.driverPort)
        driverRate = reader.integer(.driverRate)
        driverAddressRate = reader.integer(.driverAddressRate)
        driverAddressHeader = Self.header(.driverAddressHeader, &reader)
        driverConnections = reader.integer(.driverConnections)
        driverUserConnections = reader.integer(.driverUserConnections)
        tokens = TokenSettings(&reader)
        let (streets, tiles) = (reader.text(.mapStreets), reader.text(.mapTiles))
        mapStreetsFile = streets.isEmpty ? nil : streets
        mapTileURL = tiles.isEmpty ? nil : tiles
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

    /// The name of a header; `nil` where none is named.
    private static func header(_ definition: SettingDefinition, _ reader: inout SettingsReader) -> String? {
        let name = reader.text(definition)
        return name.isEmpty ? nil : name
    }
}
