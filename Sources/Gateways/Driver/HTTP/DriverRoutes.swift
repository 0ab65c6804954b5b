import Codec
import Domain
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Support
import Synchronization

/// HTTP routes for drivers' devices (locations, trip status) and the trip service.
struct DriverRoutes: Sendable {
    static let tripScope = "trips"

    let registries: [DriverConnectionRegistry]
    let tokens: TokenVerifier
    let addresses: AddressLimits
    let requestLimiter: ConnectionLimiter
    let bodies: LargeBodies
    let settings: DriverGatewaySettings

    var router: Router<ClientRequestContext> {
        let router = Router(context: ClientRequestContext.self)
        router.add(middleware: AddressLimitMiddleware(addresses: addresses))
        router.add(middleware: UnknownRequestMiddleware(methods: Self.methods(of:)))
        router.get(RouterPath(DriverGateway.socketPath)) { _, _ in try SocketGate.refuseRequest() }
        router.post("drivers/{id}/locations") { request, context in try await post(request, context) }
        router.post("trips") { request, context in try await postTrips(request, context) }
        return router
    }

    private static func methods(of path: String) -> [HTTPRequest.Method]? {
        let parts = path.split(separator: "/")
        let isLocations = parts.count == 3 && parts[0] == "drivers" && parts[2] == "locations"
        return parts == ["trips"] || isLocations ? [.post] : nil
    }

    /// Handles `POST /drivers/{id}/locations`; responds when Kafka has acknowledged the record.
    private func post(_ request: Request, _ context: ClientRequestContext) async throws -> Response {
        let driver = try await driver(of: request, context)
        let deviceState = DeviceState(trip: try tripState(of: request), app: try appState(of: request))
        guard let slot = requestLimiter.acquire(driver, at: ClientSession.now) else {
            throw RequestError.tooManyPendingRequests
        }
        defer { slot.release() }
        return try await withBody(of: request) { body in
            // The driver determines the registry, which limits the rate of all the driver's requests.
            let hash = ByteSlice.withBytes(of: driver) { $0.stableHash }
            let registry = registries[Int(hash % UInt64(registries.count))]
            return try await upload(UploadKey(subject: driver, body), to: registry) {
                registry.handle($0, body, deviceState)
            }
        }
    }

    /// Handles `POST /trips`: one event of the trip service, or an array.
    ///
    /// Responds when Kafka has acknowledged all records and Redis has stored the events without a driver.
    private func postTrips(_ request: Request, _ context: ClientRequestContext) async throws -> Response {
        guard try await RequestToken.claims(of: request, tokens).has(scope: Self.tripScope) else {
            throw RequestError(.forbidden, .notAllowed, "The token does not have the scope \(Self.tripScope).")
        }
        return try await withBody(of: request) { body in
            // The body determines the registry, so that a retry reaches the same registry. The trip service sends the
            // events of one trip sequentially, so they stay in order.
            let key = UploadKey(subject: "", body)
            let registry = registries[key.number(below: registries.count)]
            return try await upload(key, to: registry) { registry.handleTrips($0, body) }
        }
    }

    /// Returns the driver of the path, which must equal the token's claim `driver`.
    private func driver(of request: Request, _ context: ClientRequestContext) async throws -> String {
        let claims = try await RequestToken.claims(of: request, tokens)
        guard let driver = claims.driver, ByteSlice.withBytes(of: driver, { Identifier.isValid($0) }),
            context.parameters.get("id")?.removingPercentEncoding == driver
        else {
            throw RequestError(
                .forbidden, .notAllowed, "The token's claim driver must be the driver of the request's path.")
        }
        return driver
    }

    private func tripState(of request: Request) throws -> DeviceState.Trip {
        guard let text = request.uri.queryParameters.get("trip_state") else { return .unreported }
        if text == "NONE" { return .none }
        guard let state = TripState.named(text) else {
            throw RequestError(
                .badRequest, .invalidMessage,
                "trip_state must be NONE or a trip state, such as ACCEPTED or IN_PROGRESS.")
        }
        return .state(state)
    }

    private func appState(of request: Request) throws -> AppState? {
        guard let text = request.uri.queryParameters.get("app_state") else { return nil }
        guard let state = AppState.named(text) else {
            throw RequestError(.badRequest, .invalidMessage, "app_state must be foreground or background.")
        }
        return state
    }

    /// Reads the body within the memory limit and passes it to `respond`.
    private func withBody(
        of request: Request, _ respond: (ByteBuffer) async throws -> Response
    ) async throws -> Response {
        let limit = settings.maximumMessageBytes
        let length = request.headers[.contentLength].flatMap { Int($0) } ?? limit
        let response = try await bodies.with(min(max(0, length), limit)) {
            try await respond(
                try await RequestBody.read(
                    request, atMost: limit, tooLarge: "The message exceeds \(limit) bytes; split the batch."))
        }
        guard let response else {
            throw RequestError.unavailable("Too many large messages at once; retry.")
        }
        return response
    }

    /// Calls `handle` on the event loop of a registry, and responds when the upload is complete.
    private func upload(
        _ key: UploadKey, to registry: DriverConnectionRegistry, _ handle: @escaping @Sendable (RecordUpload) -> Void
    ) async throws -> Response {
        let outcome = await withCheckedContinuation { continuation in
            registry.loop.execute {
                handle(RecordUpload(registry, key: key) { continuation.resume(returning: $0) })
            }
        }
        return JSONResponse.response(try outcome.get())
    }
}

/// Memory limit for request bodies above 64 KiB; smaller ones are not limited.
final class LargeBodies: Sendable {
    static let smallBytes = 64 << 10
    private static let totalBytes = 64 << 20

    private let limit: Int
    private let reserved = Atomic(0)

    init(limit: Int = totalBytes) { self.limit = limit }

    /// Runs `action` while `bytes` are reserved.
    /// - Returns: `nil` if the limit would be exceeded.
    func with<Result>(_ bytes: Int, _ action: () async throws -> Result) async rethrows -> Result? {
        guard bytes > Self.smallBytes else { return try await action() }
        guard reserved.add(bytes, ordering: .relaxed).newValue <= limit else {
            reserved.subtract(bytes, ordering: .relaxed)
            return nil
        }
        defer { reserved.subtract(bytes, ordering: .relaxed) }
        return try await action()
    }
}
