import Codec
import Foundation
import HTTPTypes
import Hummingbird
import Model
import NIOCore
import Support

/// The requests of drivers' devices (locations, and where a trip stands) and of the trip service.
struct DriverRoutes: Sendable {
    private static let tryAgainSeconds = 2
    /// The scope of a token of the trip service.
    static let tripScope = "trips"

    let hubs: [DriverConnectionRegistry]
    let tokens: TokenGate
    let addresses: AddressLimits
    /// The requests of each driver whose answers wait.
    let heldRequests: HeldConnections
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

    /// The methods of the requests of a path; `nil` where there is nothing at the path.
    private static func methods(of path: String) -> [HTTPRequest.Method]? {
        let parts = path.split(separator: "/")
        let isLocations = parts.count == 3 && parts[0] == "drivers" && parts[2] == "locations"
        return parts == ["trips"] || isLocations ? [.post] : nil
    }

    /// `POST /drivers/{id}/locations`: answered when Kafka has the record.
    private func post(_ request: Request, _ context: ClientRequestContext) async throws -> Response {
        let driver = try await driver(of: request, context)
        let situation = DeviceSituation(trip: try tripState(of: request), app: try appState(of: request))
        guard let held = heldRequests.hold(driver, at: ClientSession.now) else { throw RequestError.tooManyHeld }
        defer { held.release() }
        return try await withBody(of: request) { body in
            try Self.response(to: await upload(body, driver, situation))
        }
    }

    /// `POST /trips`: events of the trip service, one or an array; answered when Kafka has them all, or Redis those of
    /// trips that have no driver.
    private func postTrips(_ request: Request, _ context: ClientRequestContext) async throws -> Response {
        guard try await RequestToken.claims(of: request, tokens).has(scope: Self.tripScope) else {
            throw RequestError(.forbidden, .notAllowed, "The token does not have the scope \(Self.tripScope).")
        }
        return try await withBody(of: request) { body in
            // By the body, so that one that is sent again comes to the same hub. Those of one trip follow each other, as
            // each is answered before the next is sent.
            let key = UploadKey(subject: "", body)
            let hub = hubs[key.number(below: hubs.count)]
            let outcome = await withCheckedContinuation { continuation in
                hub.loop.execute { hub.take(TripUpload(key: key) { continuation.resume(returning: $0) }, body) }
            }
            return try Self.response(to: outcome)
        }
    }

    private static func response(to outcome: RecordUpload.Outcome) throws -> Response {
        switch outcome {
        case .acknowledged(let answer): return JSONResponse.response(answer)
        case .limited(let milliseconds): throw RequestError.tooFast("Messages of this driver", milliseconds)
        case .refused(let fault): throw RequestError(fault)
        case .noRecord:
            throw RequestError(
                .badRequest, .invalidMessage, "A ping belongs on a WebSocket; send locations or a trip_status.")
        case .unavailable:
            throw RequestError(
                .serviceUnavailable, .tryAgain, "Kafka has not acknowledged the message; send it again.",
                retryAfterSeconds: tryAgainSeconds)
        case .requestsNotKept:
            throw RequestError(
                .serviceUnavailable, .tryAgain,
                "Events of trips without a driver cannot be kept for now; none of the events was written. Send them "
                    + "again.", retryAfterSeconds: tryAgainSeconds)
        case .failed(isTooLarge: true):
            throw RequestError(.contentTooLarge, .tooLarge, "The message is larger than Kafka takes; split the batch.")
        case .failed(isTooLarge: false):
            throw RequestError(
                .serviceUnavailable, .notWritten, "The message could not be written; send it again.",
                retryAfterSeconds: tryAgainSeconds)
        }
    }

    /// The driver of the path, which must be that of the token.
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

    private func tripState(of request: Request) throws -> DeviceSituation.Trip {
        guard let text = request.uri.queryParameters.get("trip_state") else { return .notSaid }
        if text == "NONE" { return .none }
        guard let state = TripState.named(text) else {
            throw RequestError(
                .badRequest, .invalidMessage,
                "trip_state must be NONE or the state of a trip, such as ACCEPTED or IN_PROGRESS.")
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

    /// Answers a request by its body, for which there has to be memory.
    private func withBody(
        of request: Request, _ answer: (ByteBuffer) async throws -> Response
    ) async throws -> Response {
        let length = request.headers[.contentLength].flatMap { Int($0) } ?? settings.maximumMessageBytes
        let response = try await bodies.with(min(max(0, length), settings.maximumMessageBytes)) {
            try await answer(try await body(of: request))
        }
        guard let response else {
            throw RequestError(
                .serviceUnavailable, .tryAgain, "Too many large messages are sent at the same time; send it again.",
                retryAfterSeconds: Self.tryAgainSeconds)
        }
        return response
    }

    private func body(of request: Request) async throws -> ByteBuffer {
        let limit = settings.maximumMessageBytes
        return try await RequestBody.read(
            request, atMost: limit, tooLarge: "A message has at most \(limit) bytes; split the batch.")
    }

    /// Has the driver's hub write a message; all requests of a driver go to one hub, which limits their rate.
    private func upload(
        _ body: ByteBuffer, _ driver: String, _ situation: DeviceSituation
    ) async -> RecordUpload.Outcome {
        let hash = ByteSlice.withBytes(of: driver) { $0.stableHash }
        let key = UploadKey(subject: driver, body)
        let hub = hubs[Int(hash % UInt64(hubs.count))]
        return await withCheckedContinuation { continuation in
            hub.loop.execute {
                let upload = DriverUpload(driver: driver, situation, key: key) { continuation.resume(returning: $0) }
                hub.take(upload, body)
            }
        }
    }
}
