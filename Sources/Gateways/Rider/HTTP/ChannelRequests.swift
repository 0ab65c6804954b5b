import Foundation
import Hummingbird

/// What requests about trips and routes have in common: whether the token allows them, and what Redis has.
struct ChannelRequests: Sendable {
    let desk: RedisExecutor
    let admission: RequestAdmission
    let users: UserLimits

    /// The trip or route that the path of a request names, where its token may watch it.
    /// - Throws: ``RequestError`` with the status 400, 401, 403 or 429.
    func permitted(
        _ kind: ChannelName.Kind, _ request: Request, _ context: ClientRequestContext
    ) async throws -> ChannelName {
        let claims = try await admission.claims(of: request)
        return try Self.permitted(kind, Self.pathID(context), by: claims)
    }

    /// The trip or route of this id, where the token may watch it.
    /// - Throws: ``RequestError`` with the status 400 or 403.
    static func permitted(_ kind: ChannelName.Kind, _ id: String, by claims: TokenClaims) throws -> ChannelName {
        guard let name = ChannelName("\(kind.rawValue):\(id)") else {
            throw RequestError(.badRequest, .invalidMessage, "\"\(id)\" cannot be the id of a \(kind.rawValue).")
        }
        guard name.isAllowed(by: claims) else {
            throw RequestError(.forbidden, .notAllowed, "The token does not name \(name).")
        }
        return name
    }

    /// The id in the path of a request; empty where its percent-encoding is broken.
    static func pathID(_ context: ClientRequestContext) -> String {
        context.parameters.get("id")?.removingPercentEncoding ?? ""
    }

    /// What Redis has of a channel.
    /// - Throws: ``RequestError`` with the status 503.
    func stored(_ name: ChannelName, entries: Int) async throws -> StoredChannel {
        do { return try await desk.read(ChannelLookup(name, entries: entries)) } catch { throw RequestError.storeAway }
    }

    /// What Redis has of a channel that something was published for, or of a trip that was requested.
    /// - Throws: ``RequestError`` with the status 404 or 503.
    func known(_ name: ChannelName, entries: Int) async throws -> StoredChannel {
        let channel = try await stored(name, entries: entries)
        guard !channel.clocks.isEmpty || channel.isRequest else {
            throw RequestError(
                .notFound, .tripNotFound, "Nothing was published for \(name) yet, or it ended over a day ago.")
        }
        return channel
    }
}
