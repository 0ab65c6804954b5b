extension SettingTable {
    static let gateway: [SettingDefinition] = [
        .riderHost, .riderPort, .riderOrigins, .riderRate, .riderAddressRate, .riderAddressHeader, .riderConnections,
        .riderUserConnections, .driverHost, .driverPort, .driverRate, .driverAddressRate, .driverAddressHeader,
        .driverConnections, .driverUserConnections, .mapStreets, .mapTiles, .mapAccess,
        .tokenSecret, .tokenKeyFile, .tokenIssuer, .tokenAudience,
    ]
}

extension SettingDefinition {
    package static let riderHost = SettingDefinition(
        "SIGHTLINE_RIDER_HOST", .text(.host), default: "127.0.0.1", programs: [.riderGateway],
        help: "Where riders connect; the container image sets 0.0.0.0, which takes connections from other machines.")
    package static let riderPort = SettingDefinition(
        "SIGHTLINE_RIDER_PORT", .integer(0...65_535, unit: "port"), default: "8080", programs: [.riderGateway],
        help: "The port for riders; 0 takes any free one and logs it.")

    package static let riderOrigins = SettingDefinition(
        "SIGHTLINE_RIDER_ORIGINS", .text(.origins), default: "", programs: [.riderGateway],
        help: "Sites whose pages may read the answers of requests (CORS), with commas; * for all of them.")

    package static let riderRate = SettingDefinition(
        "SIGHTLINE_RIDER_RATE", .integer(0...10_000, unit: "requests per second"), default: "5",
        programs: [.riderGateway],
        help:
            "Requests per second of one user, the `sub` of a token, and twenty times as many at once, messages on a WebSocket not counted; 0 for no limit."
    )
    package static let riderAddressRate = SettingDefinition(
        "SIGHTLINE_RIDER_ADDRESS_RATE", .integer(0...50_000, unit: "requests per second"), default: "1000",
        programs: [.riderGateway],
        help:
            "Requests and new WebSockets per second from one address (of IPv6 the first 64 bits), and twenty times as many at once; 0 for no limit."
    )
    package static let riderAddressHeader = SettingDefinition(
        "SIGHTLINE_RIDER_ADDRESS_HEADER", .text(.topicPrefix), default: "", programs: [.riderGateway],
        help:
            "The header in which a proxy says whose request it is, such as X-Forwarded-For, whose last address then counts for SIGHTLINE_RIDER_ADDRESS_RATE instead of that of the connection; set it only behind a proxy that sets the header."
    )

    package static let riderConnections = SettingDefinition(
        "SIGHTLINE_RIDER_CONNECTIONS", .integer(1...1_000_000, unit: "connections"), default: "50000",
        programs: [.riderGateway],
        help:
            "Connections of riders at once, and at most as many as the descriptors of the process leave beside 192 for the endpoint, brokers and stores; beyond that the one that was idle for longest is closed, and where all are in use the new one."
    )
    package static let riderUserConnections = SettingDefinition(
        "SIGHTLINE_RIDER_USER_CONNECTIONS", .integer(0...10_000, unit: "connections"), default: "16",
        programs: [.riderGateway],
        help:
            "WebSockets of one user (the `sub` of a token) at once, and as many streams and long polls together; 0 for no limit."
    )

    package static let driverHost = SettingDefinition(
        "SIGHTLINE_DRIVER_HOST", .text(.host), default: "127.0.0.1", programs: [.driverGateway],
        help:
            "Where drivers' devices connect; the container image sets 0.0.0.0, which takes connections from other machines."
    )
    package static let driverPort = SettingDefinition(
        "SIGHTLINE_DRIVER_PORT", .integer(0...65_535, unit: "port"), default: "8081", programs: [.driverGateway],
        help: "The port for drivers' devices; 0 takes any free one and logs it.")
    package static let driverRate = SettingDefinition(
        "SIGHTLINE_DRIVER_RATE", .integer(1...10_000, unit: "messages per second"), default: "10",
        programs: [.driverGateway],
        help:
            "Messages of one driver per second (a batch is one), and six times as many at once; a WebSocket is read no faster, and a request beyond it is answered with 429."
    )
    package static let driverAddressRate = SettingDefinition(
        "SIGHTLINE_DRIVER_ADDRESS_RATE", .integer(0...200_000, unit: "requests per second"), default: "1000",
        programs: [.driverGateway],
        help:
            "Requests and new WebSockets per second from one address (of IPv6 the first 64 bits), and five times as many at once; 0 for no limit."
    )
    package static let driverAddressHeader = SettingDefinition(
        "SIGHTLINE_DRIVER_ADDRESS_HEADER", .text(.topicPrefix), default: "", programs: [.driverGateway],
        help:
            "The header in which a proxy says whose request it is, such as X-Forwarded-For, whose last address then counts for SIGHTLINE_DRIVER_ADDRESS_RATE instead of that of the connection; set it only behind a proxy that sets the header."
    )

    package static let driverConnections = SettingDefinition(
        "SIGHTLINE_DRIVER_CONNECTIONS", .integer(1...1_000_000, unit: "connections"), default: "50000",
        programs: [.driverGateway],
        help:
            "Connections of devices at once, and at most as many as the descriptors of the process leave beside 192 for the endpoint, brokers and stores; beyond that the one that was idle for longest is closed, and where all are in use the new one."
    )
    package static let driverUserConnections = SettingDefinition(
        "SIGHTLINE_DRIVER_USER_CONNECTIONS", .integer(0...10_000, unit: "connections"), default: "16",
        programs: [.driverGateway],
        help: "WebSockets of one driver at once, and as many requests whose answer waits; 0 for no limit.")

    package static let mapStreets = SettingDefinition(
        "SIGHTLINE_MAP_STREETS_FILE", .text(.readable(example: "/data/streets.json")), default: "",
        programs: [.riderGateway],
        help:
            "Streets that the live map draws where there are no tiles; `sightline simulate --streets` writes such a file."
    )
    package static let mapTiles = SettingDefinition(
        "SIGHTLINE_MAP_TILE_URL",
        .text(.optionalURL(schemes: ["https", "http"], example: "https://tiles.example.com/{z}/{x}/{y}.png")),
        default: "", programs: [.riderGateway],
        help:
            "Tiles behind the live map, with {z}, {x} and {y}; without them the page makes no request to other servers."
    )
    package static let mapAccess = SettingDefinition(
        "SIGHTLINE_MAP_ACCESS", .choice(["token", "open"]), default: "token", programs: [.riderGateway],
        help:
            "Who may open the live map: holders of a token, or with open everyone who reaches it, as in the demo; open takes SIGHTLINE_TOKEN_SECRET and a loopback SIGHTLINE_RIDER_HOST."
    )

    package static let tokenSecret = SettingDefinition(
        "SIGHTLINE_TOKEN_SECRET", .text(.secretKey), default: "", isSecret: true,
        programs: .gateways.union([.commandLine]),
        help: "The secret of tokens signed with HS256, its text as it is; `sightline token --new-secret` makes one.")
    package static let tokenKeyFile = SettingDefinition(
        "SIGHTLINE_TOKEN_JWKS_FILE", .text(.readable(example: "/run/secrets/token-keys.json")), default: "",
        programs: .gateways,
        help: "A JWKS with the keys of tokens signed with RS256, ES256 or HS256; read again when it changes.")
    package static let tokenIssuer = SettingDefinition(
        "SIGHTLINE_TOKEN_ISSUER", .text(.claim(example: "https://accounts.example.com")), default: "",
        programs: .gateways.union([.commandLine]), help: "Tokens must have this `iss`; any is taken when it is absent.")
    package static let tokenAudience = SettingDefinition(
        "SIGHTLINE_TOKEN_AUDIENCE", .text(.claim(example: "riders.example.com")), default: "",
        programs: .gateways.union([.commandLine]),
        help: "Tokens must name this in `aud`; any is taken when it is absent.")
}
