import Codec
import Hummingbird
import NIOCore
import Redis
import Support

/// The requests of operators: all drivers, and one driver's last way.
struct FleetRoutes: Sendable {
    let desk: RedisExecutor
    let keyPrefix: String
    let admission: RequestAdmission
    /// All drivers as the answer's JSON: a read at a time, for all who ask.
    private let fleets = SharedReads<String, ByteBuffer>()

    init(desk: RedisExecutor, keyPrefix: String, admission: RequestAdmission) {
        self.desk = desk
        self.keyPrefix = keyPrefix
        self.admission = admission
    }

    func add(to router: Router<ClientRequestContext>) {
        router.get("fleet") { request, _ in try await fleet(request) }
        router.get("drivers/{id}/trail") { request, context in try await trail(request, context) }
    }

    /// `GET /fleet`: all drivers.
    private func fleet(_ request: Request) async throws -> Response {
        try await permit(request)
        let reader = FleetRepository(keyPrefix: keyPrefix)
        return JSONResponse.response(
            try await fleets.value(for: keyPrefix) {
                try await ask { connection in
                    FleetSnapshot.answer(try reader.drivers(try reader.ids(over: connection), over: connection)).buffer
                }
            })
    }

    /// `GET /drivers/{id}/trail`: the last points, the newest first, and what the driver is suspected of.
    private func trail(_ request: Request, _ context: ClientRequestContext) async throws -> Response {
        try await permit(request)
        let id = ChannelRequests.pathID(context)
        guard ByteSlice.withBytes(of: id, { Identifier.isValid($0) }) else {
            throw RequestError(.badRequest, .invalidMessage, "The path must have the id of a driver.")
        }
        let reader = FleetRepository(keyPrefix: keyPrefix)
        let (driver, points) = try await ask { connection in
            (try reader.drivers([id], over: connection)[id], try reader.trail(of: id, over: connection))
        }
        guard let driver else {
            throw RequestError(.notFound, .notFound, "Nothing was received of the driver in the last 24 hours.")
        }
        var body = MessageWriter()
        body.json("driver", driver.json)
        body.list("points", json: points)
        return JSONResponse.response(body)
    }

    private func permit(_ request: Request) async throws {
        guard try await admission.claims(of: request).has(scope: FleetPublisher.scope) else {
            throw RequestError(.forbidden, .notAllowed, "The token does not have the scope \(FleetPublisher.scope).")
        }
    }

    private func ask<Answer: Sendable>(
        _ body: @escaping @Sendable (RedisConnection) throws -> Answer
    ) async throws -> Answer {
        do { return try await desk.ask(body) } catch { throw RequestError.storeAway }
    }
}
