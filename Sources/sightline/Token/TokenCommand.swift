import ArgumentParser
import Codec
import Gateways
import Runtime
import Support

/// `sightline token`: a token for the gateways, without an app's backend.
struct TokenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token", abstract: "Make a token for the gateways, to try things out, or a secret for tokens.",
        discussion: """
            The token is a JWT, signed with SIGHTLINE_TOKEN_SECRET by HS256; the gateways have to be started with the \
            same secret. SIGHTLINE_TOKEN_ISSUER and SIGHTLINE_TOKEN_AUDIENCE are put into it where they are set. In \
            production your app's backend makes the tokens.

              export SIGHTLINE_TOKEN_SECRET=$(sightline token --new-secret)
              sightline token --trip tr_4e5f              # a rider, of a trip
              sightline token --route 17 --route 18       # a passenger, of routes
              sightline token --scope fleet --expires 8h  # an operator, of all drivers
              sightline token --driver drv_17             # the app of a driver
            """)

    @Option(
        name: .customLong("trip"),
        help: ArgumentHelp("A trip that the token is for; once for each, or '*' for all.", valueName: "id"))
    var trips: [String] = []

    @Option(
        name: .customLong("route"),
        help: ArgumentHelp("A route that the token is for; once for each, or '*' for all.", valueName: "id"))
    var routes: [String] = []

    @Option(help: ArgumentHelp("The driver whose app the token is for.", valueName: "id"))
    var driver: String?

    @Option(
        name: .customLong("scope"),
        help: ArgumentHelp("Something else that it allows, such as fleet; once for each.", valueName: "name"))
    var scopes: [String] = []

    @Option(
        help: "How long it is taken, such as 90s, 30min, 8h or 7d; 1h when it is not given.",
        transform: PeriodLength.init)
    var expires: PeriodLength?

    @Option(help: "Who it is for, in your own words.")
    var subject: String?

    @Flag(help: "Print a new random secret of 32 bytes in hexadecimal, and make no token.")
    var newSecret = false

    private var allowsNothing: Bool { trips.isEmpty && routes.isEmpty && driver == nil && scopes.isEmpty }

    func validate() throws {
        if newSecret {
            guard allowsNothing, expires == nil, subject == nil else {
                throw ValidationError("--new-secret makes no token; give it alone.")
            }
            return
        }
        guard !allowsNothing else {
            throw ValidationError("What is it for? Give --trip ID, --route ID, --driver ID or --scope NAME.")
        }
        for (option, ids) in [("--trip", trips), ("--route", routes)] {
            for id in ids where id != "*" { try Self.check(id, option) }
        }
        if let driver { try Self.check(driver, "--driver") }
        for scope in scopes where scope.isEmpty || !scope.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) {
            throw ValidationError("--scope is one name without spaces; give it once for each.")
        }
    }

    func run() async throws {
        if newSecret { return print(TokenSecret.random()) }
        let now = Timestamp(milliseconds: WallClock.milliseconds())
        print(try await token(Settings(for: .commandLine).gateway.tokens, now: now))
    }

    /// The token, and nothing else.
    func token(_ settings: TokenSettings, now: Timestamp) async throws -> String {
        let grant = TokenGrant(
            subject: subject, issuer: settings.issuer, audience: settings.audience, trips: trips, routes: routes,
            driver: driver, scopes: scopes, lifetimeSeconds: expires?.seconds ?? 3600)
        return try await TokenMinter(secret: settings.secret).mint(grant, now: now)
    }

    private static func check(_ id: String, _ option: String) throws {
        guard ByteSlice.withBytes(of: id, { Identifier.isValid($0) }) else {
            throw ValidationError(
                "\(option) is an id of 1 to 128 letters, digits, or any of _ - . and the colon; give it once for each.")
        }
    }
}
