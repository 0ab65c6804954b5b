import Foundation
import Hummingbird
import Redis

/// Authorization of requests for trips and routes, and reads of their state in Redis.
struct ChannelRequests: Sendable {
    let store: RedisExecutor
    let admission: RequestAdmission
    let users: UserLimits

    /// Returns the claims of a request's token, which must have `scope` or `alternative`.
    /// - Throws: ``RequestError`` with the status 401, 403 or 429.
    func claims(of request: Request, scope: String, or alternative: String? = nil) async throws -> TokenClaims {
        let claims = try await admission.claims(of: request)
        guard claims.has(scope: scope) || alternative.map({ claims.has(scope: $0) }) ?? false else {
            let scopes = [scope, alternative].compactMap { $0 }.joined(separator: " or ")
            throw RequestError(.forbidden, .notAllowed, "The token does not have the scope \(scopes).")
        }
        return claims
    }

    /// Returns the trip or route in the path of a request, if the token allows it.
    /// - Throws: ``RequestError`` with the status 400, 401, 403 or 429.
    func permitted(
        _ kind: ChannelName.Kind, _ request: Request, _ context: ClientRequestContext
    ) async throws -> ChannelName {
        let claims = try await admission.claims(of: request)
        return try Self.permitted(kind, Self.pathID(context), by: claims)
    }

    /// Returns the trip or route with this id, if the token allows it.
    /// - Throws: ``RequestError`` with the status 400 or 403.
    static func permitted(_ kind: ChannelName.Kind, _ id: String, by claims: TokenClaims) throws -> ChannelName {
        guard let name = ChannelName("\(kind.rawValue):\(id)") else {
            throw RequestError(.badRequest, .invalidMessage, "\"\(id)\" is not a valid id of a \(kind.rawValue).")
        }
        guard name.isAllowed(by: claims) else {
            throw RequestError(.forbidden, .notAllowed, "The token does not allow \(name).")
        }
        return name
    }

    /// Returns the id in the path of a request; empty if its percent-encoding is invalid.
    static func pathID(_ context: ClientRequestContext) -> String {
        context.parameters.get("id")?.removingPercentEncoding ?? ""
    }

    /// Reads a channel.
    /// - Throws: ``RequestError`` with the status 503.
    func stored(_ name: ChannelName, _ depth: ChannelLookup.Depth) async throws -> StoredChannel {
        do { return try await store.read(ChannelLookup(name, depth)) } catch {
            throw RequestError.storeUnavailable
        }
    }

    /// Reads a channel that has updates, or a requested trip.
    /// - Throws: ``RequestError`` with the status 404 or 503.
    func known(_ name: ChannelName, _ depth: ChannelLookup.Depth) async throws -> StoredChannel {
        let channel = try await stored(name, depth)
        guard !channel.watermarks.isEmpty || channel.isRequest else {
            throw RequestError(.notFound, .tripNotFound, Self.notFoundText(name))
        }
        return channel
    }

    static func notFoundText(_ name: ChannelName) -> String {
        "No update was published for \(name) yet, or it ended more than a day ago."
    }
}

extension RedisExecutor {
    /// Runs `body` for a request.
    /// - Throws: ``RequestError`` with the status 503 if Redis is unavailable or `body` throws.
    func request<Value: Sendable>(_ body: @escaping @Sendable (RedisConnection) throws -> Value) async throws -> Value {
        do { return try await perform(body) } catch { throw RequestError.storeUnavailable }
    }
}
