extension SettingTable {
    static let gateway: [SettingDefinition] = [
        .riderHost, .riderPort, .riderRate, .riderAddressRate, .riderAddressHeader, .riderConnections,
        .riderUserConnections, .riderOrigins, .driverHost, .driverPort, .driverRate, .driverAddressRate,
        .driverAddressHeader,
        .driverConnections, .driverUserConnections, .mapStreets, .mapTiles, .mapAccess,
        .tokenSecret, .tokenKeyFile, .tokenIssuer, .tokenAudience,
    ]
}

extension SettingDefinition {
    package static let riderHost = SettingDefinition(
        "SIGHTLINE_RIDER_HOST", .text(.host), default: "127.0.0.1", programs: [.riderGateway],
        help: "Listen address for riders; the container image sets 0.0.0.0.")
    package static let riderPort = SettingDefinition(
        "SIGHTLINE_RIDER_PORT", .integer(0...65_535, unit: "port"), default: "8080", programs: [.riderGateway],
        help: "Port for riders; 0 selects a free port and logs it.")

    package static let riderOrigins = SettingDefinition(
        "SIGHTLINE_RIDER_ORIGINS", .text(.origins), default: "", programs: [.riderGateway],
        help: "Origins whose pages may read responses (CORS), comma-separated; * for all.")

    package static let riderRate = SettingDefinition(
        "SIGHTLINE_RIDER_RATE", .integer(0...10_000, unit: "requests per second"), default: "5",
        programs: [.riderGateway],
        help: "Requests per second per user (`sub` of the token), with bursts of 20 times as many; WebSocket messages "
            + "are not counted; 0 disables the limit.")
    package static let riderAddressRate = SettingDefinition(
        "SIGHTLINE_RIDER_ADDRESS_RATE", .integer(0...50_000, unit: "requests per second"), default: "1000",
        programs: [.riderGateway],
        help: "Requests and new WebSockets per second per address (IPv6: first 64 bits), with bursts of 20 times as "
            + "many; 0 disables the limit.")
    package static let riderAddressHeader = SettingDefinition(
        "SIGHTLINE_RIDER_ADDRESS_HEADER", .text(.headerName), default: "", programs: [.riderGateway],
        help: "Header in which a trusted proxy sends the client's address, such as X-Forwarded-For; its last address "
            + "then counts for SIGHTLINE_RIDER_ADDRESS_RATE; set it only behind a proxy that sets it.")

    package static let riderConnections = SettingDefinition(
        "SIGHTLINE_RIDER_CONNECTIONS", .integer(1...1_000_000, unit: "connections"), default: "50000",
        programs: [.riderGateway],
        help: "Maximum open connections; also limited by file descriptors minus 192 for endpoint, brokers and stores; "
            + "a new one replaces the longest idle or else the longest responding one, and is closed if all are "
            + "WebSockets or streams.")
    package static let riderUserConnections = SettingDefinition(
        "SIGHTLINE_RIDER_USER_CONNECTIONS", .integer(0...10_000, unit: "connections"), default: "16",
        programs: [.riderGateway],
        help: "Maximum WebSockets per user (`sub` of the token), and maximum streams and long polls together; 0 "
            + "disables both limits.")

    package static let driverHost = SettingDefinition(
        "SIGHTLINE_DRIVER_HOST", .text(.host), default: "127.0.0.1", programs: [.driverGateway],
        help: "Listen address for devices; the container image sets 0.0.0.0.")
    package static let driverPort = SettingDefinition(
        "SIGHTLINE_DRIVER_PORT", .integer(0...65_535, unit: "port"), default: "8081", programs: [.driverGateway],
        help: "Port for devices; 0 selects a free port and logs it.")
    package static let driverRate = SettingDefinition(
        "SIGHTLINE_DRIVER_RATE", .integer(1...10_000, unit: "messages per second"), default: "10",
        programs: [.driverGateway],
        help: "Messages per second per driver (a batch counts once), with bursts of 6 times as many; a WebSocket is "
            + "read no faster; HTTP requests beyond it get 429.")
    package static let driverAddressRate = SettingDefinition(
        "SIGHTLINE_DRIVER_ADDRESS_RATE", .integer(0...200_000, unit: "requests per second"), default: "1000",
        programs: [.driverGateway],
        help: "Requests and new WebSockets per second per address (IPv6: first 64 bits), with bursts of 5 times as "
            + "many; 0 disables the limit.")
    package static let driverAddressHeader = SettingDefinition(
        "SIGHTLINE_DRIVER_ADDRESS_HEADER", .text(.headerName), default: "", programs: [.driverGateway],
        help: "Header in which a trusted proxy sends the client's address, such as X-Forwarded-For; its last address "
            + "then counts for SIGHTLINE_DRIVER_ADDRESS_RATE; set it only behind a proxy that sets it.")

    package static let driverConnections = SettingDefinition(
        "SIGHTLINE_DRIVER_CONNECTIONS", .integer(1...1_000_000, unit: "connections"), default: "50000",
        programs: [.driverGateway],
        help: "Maximum open connections; also limited by file descriptors minus 192 for endpoint, brokers and stores; "
            + "a new one replaces the longest idle or else the longest responding one, and is closed if all are "
            + "WebSockets or streams.")
    package static let driverUserConnections = SettingDefinition(
        "SIGHTLINE_DRIVER_USER_CONNECTIONS", .integer(0...10_000, unit: "connections"), default: "16",
        programs: [.driverGateway],
        help: "Maximum WebSockets per driver, and maximum requests that wait for their response; 0 disables "
            + "both limits.")

    package static let mapStreets = SettingDefinition(
        "SIGHTLINE_MAP_STREETS_FILE", .text(.readable(example: "/data/streets.json")), default: "",
        programs: [.riderGateway],
        help: "File of streets for a live map without tiles; created by `sightline simulate --streets`.")
    package static let mapTiles = SettingDefinition(
        "SIGHTLINE_MAP_TILE_URL",
        .text(.optionalURL(schemes: ["https", "http"], example: "https://tiles.example.com/{z}/{x}/{y}.png")),
        default: "", programs: [.riderGateway],
        help: "URL of map tiles with {z}, {x} and {y}; without it the page requests no other server.")
    package static let mapAccess = SettingDefinition(
        "SIGHTLINE_MAP_ACCESS", .choice(["token", "open"]), default: "token", programs: [.riderGateway],
        help: "Access to the live map: token, or open to everyone (requires SIGHTLINE_TOKEN_SECRET and a loopback "
            + "SIGHTLINE_RIDER_HOST).")

    package static let tokenSecret = SettingDefinition(
        "SIGHTLINE_TOKEN_SECRET", .text(.secretKey), default: "", isSecret: true,
        programs: .gateways.union([.commandLine]),
        help: "Secret for HS256 tokens, used as is; `sightline token --new-secret` creates one.")
    package static let tokenKeyFile = SettingDefinition(
        "SIGHTLINE_TOKEN_JWKS_FILE", .text(.readable(example: "/run/secrets/token-keys.json")), default: "",
        programs: .gateways, help: "JWKS file with keys for RS256, ES256 or HS256; reloaded on change.")
    package static let tokenIssuer = SettingDefinition(
        "SIGHTLINE_TOKEN_ISSUER", .text(.claim(example: "https://accounts.example.com")), default: "",
        programs: .gateways.union([.commandLine]), help: "Required `iss`; any is accepted if unset.")
    package static let tokenAudience = SettingDefinition(
        "SIGHTLINE_TOKEN_AUDIENCE", .text(.claim(example: "riders.example.com")), default: "",
        programs: .gateways.union([.commandLine]), help: "Required `aud`; any is accepted if unset.")
}
