import ArgumentParser
import Codec
import Gateways
import Runtime
import Support

/// `sightline token`: creates tokens for the gateways, for tests without a backend.
struct TokenCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token", abstract: "Create a token for the gateways, for tests, or a token secret.",
        discussion: """
            The token is a JWT signed with SIGHTLINE_TOKEN_SECRET (HS256); the gateways need the same secret. It \
            contains SIGHTLINE_TOKEN_ISSUER and SIGHTLINE_TOKEN_AUDIENCE if they are set. In production, the backend of \
            your app creates the tokens.

              export SIGHTLINE_TOKEN_SECRET=$(sightline token --new-secret)
              sightline token --trip tr_4e5f              # a rider of a trip
              sightline token --route 17 --route 18       # a passenger of routes
              sightline token --scope fleet --expires 8h  # an operator of the fleet
              sightline token --driver drv_17             # the app of a driver
            """)

    @Option(
        name: .customLong("trip"),
        help: ArgumentHelp("Allow this trip (repeatable), or '*' for all.", valueName: "id"))
    var trips: [String] = []

    @Option(
        name: .customLong("route"),
        help: ArgumentHelp("Allow this route (repeatable), or '*' for all.", valueName: "id"))
    var routes: [String] = []

    @Option(help: ArgumentHelp("Allow the app of this driver.", valueName: "id"))
    var driver: String?

    @Option(
        name: .customLong("scope"),
        help: ArgumentHelp("Additional scope (repeatable), for example fleet.", valueName: "name"))
    var scopes: [String] = []

    @Option(
        help: "Lifetime, such as 90s, 30min, 8h or 7d; 1h by default.",
        transform: PeriodLength.init)
    var expires: PeriodLength?

    @Option(help: "Subject of the token (sub), any text.")
    var subject: String?

    @Flag(help: "Print a new random secret (32 bytes, hexadecimal) instead of a token.")
    var newSecret = false

    private var allowsNothing: Bool { trips.isEmpty && routes.isEmpty && driver == nil && scopes.isEmpty }

    func validate() throws {
        if newSecret {
            guard allowsNothing, expires == nil, subject == nil else {
                throw ValidationError("--new-secret creates no token; omit the other options.")
            }
            return
        }
        guard !allowsNothing else {
            throw ValidationError("The token allows nothing: give --trip ID, --route ID, --driver ID or --scope NAME.")
        }
        for (option, ids) in [("--trip", trips), ("--route", routes)] {
            for id in ids where id != "*" { try Self.check(id, option) }
        }
        if let driver { try Self.check(driver, "--driver") }
        for scope in scopes where scope.isEmpty || !scope.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) {
            throw ValidationError("--scope must be one name without spaces; repeat the option for several.")
        }
    }

    func run() throws {
        if newSecret { return print(TokenSecret.random()) }
        let now = Timestamp.now
        print(try token(Settings(for: .commandLine).gateway.tokens, now: now))
    }

    func token(_ settings: TokenSettings, now: Timestamp) throws -> String {
        let grant = TokenGrant(
            subject: subject, issuer: settings.issuer, audience: settings.audience, trips: trips, routes: routes,
            driver: driver, scopes: scopes, lifetimeSeconds: expires?.seconds ?? 3600)
        return try TokenMinter(secret: settings.secret).mint(grant, now: now)
    }

    private static func check(_ id: String, _ option: String) throws {
        guard ByteSlice.withBytes(of: id, { Identifier.isValid($0) }) else {
            throw ValidationError(
                "\(option) must be 1 to 128 characters (letters, digits, _ - . :); repeat it for several.")
        }
    }
}
