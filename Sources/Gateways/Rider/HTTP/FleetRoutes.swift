import Codec
import Hummingbird
import NIOCore
import Redis
import Support

/// Routes for operators: all drivers, and the recent points of one driver.
struct FleetRoutes: Sendable {
    let store: RedisExecutor
    let keyPrefix: String
    let admission: RequestAdmission
    /// The response body of all drivers, shared by concurrent requests.
    private let fleets = ReadCoalescer<String, ByteBuffer>()

    init(store: RedisExecutor, keyPrefix: String, admission: RequestAdmission) {
        self.store = store
        self.keyPrefix = keyPrefix
        self.admission = admission
    }

    func add(to router: Router<ClientRequestContext>) {
        router.get("fleet") { request, _ in try await fleet(request) }
        router.get("drivers/{id}/trail") { request, context in try await trail(request, context) }
    }

    /// `GET /fleet`: all drivers.
    private func fleet(_ request: Request) async throws -> Response {
        try await authorize(request)
        let repository = FleetRepository(keyPrefix: keyPrefix)
        return JSONResponse.response(
            try await fleets.value(for: keyPrefix) {
                try await store.request { connection in
                    let ids = try repository.ids(over: connection)
                    return FleetSnapshot.body(try repository.drivers(ids, over: connection)).buffer
                }
            })
    }

    /// `GET /drivers/{id}/trail`: the driver with its risk signals, and its recent points, newest first.
    private func trail(_ request: Request, _ context: ClientRequestContext) async throws -> Response {
        try await authorize(request)
        let id = ChannelRequests.pathID(context)
        guard ByteSlice.withBytes(of: id, { Identifier.isValid($0) }) else {
            throw RequestError(.badRequest, .invalidMessage, "The path must contain a valid driver id.")
        }
        let repository = FleetRepository(keyPrefix: keyPrefix)
        let (driver, points) = try await store.request { connection in
            (try repository.drivers([id], over: connection)[id], try repository.trail(of: id, over: connection))
        }
        guard let driver else {
            throw RequestError(.notFound, .notFound, "No location of the driver in the last 24 hours.")
        }
        var body = MessageWriter()
        body.json("driver", driver.json)
        body.list("points", json: points)
        return JSONResponse.response(body)
    }

    private func authorize(_ request: Request) async throws {
        guard try await admission.claims(of: request).has(scope: FleetPublisher.scope) else {
            throw RequestError(.forbidden, .notAllowed, "The token does not have the scope \(FleetPublisher.scope).")
        }
    }
}
