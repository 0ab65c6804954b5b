import Foundation
import HTTPTypes
import Hummingbird

/// Live events of a trip (server-sent events).
extension RiderRoutes {
    private static let lastEventID = HTTPField.Name("Last-Event-ID")
    /// Disables response buffering in nginx.
    private static let buffering = HTTPField.Name("X-Accel-Buffering")

    /// `GET /trips/{id}/stream`: missed events after `Last-Event-ID` or `?last_event_id=`, then live events.
    func stream(_ request: Request, _ context: ClientRequestContext) async throws -> Response {
        let claims = try await channels.admission.claims(of: request)
        let trip = try ChannelRequests.permitted(.trip, ChannelRequests.pathID(context), by: claims)
        guard let cursor = ChannelCursor(texts: Self.lastEvents(of: request)) else {
            throw RequestError(
                .badRequest, .invalidMessage,
                "Last-Event-ID, or last_event_id, must be the id of an event of the stream.")
        }
        if let user = UserLimits.userID(of: claims), channels.users.requests.refuses(user) {
            throw RequestError.tooManyPendingRequests
        }
        _ = try await channels.known(trip, .none)
        var response = Response(
            status: .ok, headers: [.contentType: "text/event-stream", .cacheControl: "no-store"],
            body: ResponseBody { [streams] writer in
                try await writer.write(streams.open(trip, after: cursor, claims, on: context.channel))
                try await writer.finish(nil)
            })
        if let name = Self.buffering { response.headers[name] = "no" }
        return response
    }

    /// Returns the event ids in the header, which browsers send when they reconnect, or else in the URL.
    private static func lastEvents(of request: Request) -> [String] {
        let header = lastEventID.flatMap { request.headers[$0] } ?? ""
        guard header.isEmpty else {
            return header.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
        }
        return request.words("last_event_id")
    }
}
