extension SettingTable {
    static let gateway: [SettingDefinition] = [
        .riderHost, .riderPort, .mapStreets, .mapTiles, .mapAccess, .tokenSecret, .tokenKeyFile, .tokenIssuer,
        .tokenAudience,
    ]
}

extension SettingDefinition {
    package static let riderHost = SettingDefinition(
        "SIGHTLINE_RIDER_HOST", .text(.host), default: "127.0.0.1", programs: [.riderGateway],
        help: "Where riders connect; the container image sets 0.0.0.0, which takes connections from other machines.")
    package static let riderPort = SettingDefinition(
        "SIGHTLINE_RIDER_PORT", .integer(0...65_535, unit: "port"), default: "8080", programs: [.riderGateway],
        help: "The port for riders; 0 takes any free one and logs it.")

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
