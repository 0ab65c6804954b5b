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
    private static let retryAfterSeconds = 2
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
            try Self.response(to: await upload(body, driver, deviceState))
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
            // The body determines the registry, so that a retry reaches the same one. The trip service sends the
            // events of one trip sequentially, so they stay in order.
            let key = UploadKey(subject: "", body)
            let registry = registries[key.number(below: registries.count)]
            let outcome = await withCheckedContinuation { continuation in
                registry.loop.execute {
                    registry.handleTrips(
                        RecordUpload(registry, key: key) { continuation.resume(returning: $0) }, body)
                }
            }
            return try Self.response(to: outcome)
        }
    }

    private static func response(to outcome: RecordUpload.Outcome) throws -> Response {
        switch outcome {
        case .acknowledged(let answer): return JSONResponse.response(answer)
        case .limited(let milliseconds): throw RequestError.tooFast("messages of this driver", milliseconds)
        case .refused(let fault): throw RequestError(fault)
        case .noRecord:
            throw RequestError(
                .badRequest, .invalidMessage,
                "ping and pong are accepted on WebSockets only; send locations or a trip_status.")
        case .unavailable:
            throw RequestError(
                .serviceUnavailable, .tryAgain, "Kafka has not acknowledged the message; retry.",
                retryAfterSeconds: retryAfterSeconds)
        case .requestsNotStored:
            throw RequestError(
                .serviceUnavailable, .tryAgain,
                "Events of trips without a driver cannot be stored; no event of the request was written. Retry.",
                retryAfterSeconds: retryAfterSeconds)
        case .failed(isTooLarge: true):
            throw RequestError(.contentTooLarge, .tooLarge, "The message exceeds Kafka's size limit; split the batch.")
        case .failed(isTooLarge: false):
            throw RequestError(
                .serviceUnavailable, .notWritten, "The message could not be written; retry.",
                retryAfterSeconds: retryAfterSeconds)
        }
    }

    /// Returns the driver of the path, after checking that the token names the same driver.
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
            throw RequestError(
                .serviceUnavailable, .tryAgain, "Too many large messages at once; retry.",
                retryAfterSeconds: Self.retryAfterSeconds)
        }
        return response
    }

    /// Passes a message to the driver's registry, which limits the rate of all the driver's requests.
    private func upload(
        _ body: ByteBuffer, _ driver: String, _ deviceState: DeviceState
    ) async -> RecordUpload.Outcome {
        let hash = ByteSlice.withBytes(of: driver) { $0.stableHash }
        let key = UploadKey(subject: driver, body)
        let registry = registries[Int(hash % UInt64(registries.count))]
        return await withCheckedContinuation { continuation in
            registry.loop.execute {
                let upload = RecordUpload(registry, key: key) { continuation.resume(returning: $0) }
                registry.handle(upload, body, deviceState)
            }
        }
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
