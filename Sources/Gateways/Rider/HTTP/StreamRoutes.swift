import Foundation
import HTTPTypes
import Hummingbird

/// The request for a trip's events as they happen (server-sent events).
struct StreamRoutes: Sendable {
    private static let lastEventID = HTTPField.Name("Last-Event-ID")
    /// Has nginx hand on each event at once.
    private static let buffering = HTTPField.Name("X-Accel-Buffering")

    let channels: ChannelRequests
    let gate: StreamGate

    func add(to router: Router<ClientRequestContext>) {
        router.get("trips/{id}/stream") { request, context in try await stream(request, context) }
    }

    /// `GET /trips/{id}/stream`: what was missed after `Last-Event-ID` or `?last_event_id=`, then what happens.
    private func stream(_ request: Request, _ context: ClientRequestContext) async throws -> Response {
        let claims = try await channels.admission.claims(of: request)
        let trip = try ChannelRequests.permitted(.trip, ChannelRequests.pathID(context), by: claims)
        guard let cursor = ChannelCursor(texts: Self.lastEvents(of: request)) else {
            throw RequestError(
                .badRequest, .invalidMessage,
                "Last-Event-ID must be the id of an event of the stream, as must last_event_id.")
        }
        if let user = UserLimits.named(claims), channels.users.requests.refuses(user) {
            throw RequestError.tooManyHeld
        }
        _ = try await channels.known(trip, entries: 0)
        var response = Response(
            status: .ok, headers: [.contentType: "text/event-stream", .cacheControl: "no-store"],
            body: ResponseBody { [gate] writer in
                let following = StreamRequest(trip: trip, cursor: cursor, claims: claims)
                try await writer.write(gate.open(following, on: context.channel))
                try await writer.finish(nil)
            })
        if let name = Self.buffering { response.headers[name] = "no" }
        return response
    }

    /// Of the header, which browsers send when they ask again, or else of the URL.
    private static func lastEvents(of request: Request) -> [String] {
        let header = lastEventID.flatMap { request.headers[$0] } ?? ""
        guard header.isEmpty else {
            return header.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
        }
        return RequestParameters(request).words("last_event_id")
    }
}
