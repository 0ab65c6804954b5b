import Gateways
import Hummingbird
import NIOCore
import Observability
import Pipeline
import Tokens
import Wire

/// The requests of riders' apps: the socket's settings, a trip, and what of it was missed.
struct RiderRoutes: Sendable {
    let desk: RedisDesk
    let keyPrefix: String
    let tokens: TokenGate
    let settings: GatewayServerSettings

    /// The longest wait of a long poll, in seconds; below what proxies allow.
    private static let longestWaitSeconds = 25
    private static let storeLookMilliseconds = 500

    var router: Router<BasicRequestContext> {
        let router = Router()
        router.get("config") { _, _ in configuration }
        router.get("trips/{id}") { request, context in try await trip(request, context) }
        router.get("routes/{id}/vehicles") { request, context in try await vehicles(request, context) }
        router.get("trips/{id}/events") { request, context in try await events(request, context) }
        FleetRoutes(desk: desk, keyPrefix: keyPrefix, tokens: tokens).add(to: router)
        WebFiles(settings: settings).add(to: router)
        return router
    }

    /// What clients need to know before they connect; the names are those of the bus document.
    private var configuration: Response {
        var socket = MessageWriter()
        socket.text("baseUrl", "")
        socket.flag("forceReconnection", true)
        socket.text("socketPath", SocketGate.path)
        socket.number("socketReconnectionDelay", 500)
        socket.number("maxReconnectionDelay", 15_000)
        socket.number("connectionTimeout", 10_000)
        socket.texts("transportValues", ["websocket", "polling"])
        socket.flag("enableCookie", false)
        var body = MessageWriter()
        body.object("socketConnectionData", socket)
        body.number("pingIntervalMs", settings.pingInterval.wholeMilliseconds)
        body.number("pollingIntervalMs", settings.pollingInterval.wholeMilliseconds)
        body.object("rtsServiceDetails", MessageWriter())
        body.text("tileUrl", settings.tileURL)
        return JSONAnswer.response(body)
    }

    /// `GET /trips/{id}`: the trip's present state, which has not changed while its last event is the same.
    private func trip(_ request: Request, _ context: BasicRequestContext) async throws -> Response {
        let name = try await permitted(.trip, request, context)
        let channel = try await known(name, entries: 0)
        let tag = "\"\(String(decoding: channel.fields["event_id"] ?? [], as: UTF8.self))\""
        if request.headers[.ifNoneMatch] == tag {
            return Response(status: .notModified, headers: [.eTag: tag, .cacheControl: "no-cache"])
        }
        var body = ChannelState.trip(channel)
        body.text("trip_id", name.id)
        body.texts("cursor", ChannelCursor(channel.clocks).list.map(\.description))
        var response = JSONAnswer.response(body)
        response.headers[.eTag] = tag
        response.headers[.cacheControl] = "no-cache"
        return response
    }

    /// `GET /trips/{id}/events?after=EVENT_ID&wait=SECONDS`: what was missed, waited for where there is nothing yet.
    private func events(_ request: Request, _ context: BasicRequestContext) async throws -> Response {
        let name = try await permitted(.trip, request, context)
        let cursor = try Self.cursor(of: request)
        let wait = min(request.uri.queryParameters.get("wait", as: Int.self) ?? 0, Self.longestWaitSeconds)
        let deadline = ContinuousClock.now + .seconds(wait)
        while true {
            let channel = try await known(name, entries: ChannelLookup.allEntries)
            let missed = cursor.missed(of: channel.entries, writtenBy: channel.clocks.keys)
            if missed?.isEmpty == true, ContinuousClock.now < deadline {
                try await Task.sleep(for: .milliseconds(Self.storeLookMilliseconds))
                continue
            }
            var body = MessageWriter()
            body.list("events", json: (missed ?? []).map(\.message))
            body.texts("cursor", ChannelCursor(channel.clocks).list.map(\.description))
            if missed == nil { body.object("snapshot", ChannelState.trip(channel)) }
            return JSONAnswer.response(body)
        }
    }

    /// `GET /routes/{id}/vehicles`: where the vehicles of a route were last.
    private func vehicles(_ request: Request, _ context: BasicRequestContext) async throws -> Response {
        let name = try await permitted(.route, request, context)
        let channel = try await known(name, entries: ChannelLookup.allEntries)
        var body = ChannelState.snapshot(of: name, channel)
        body.texts("cursor", ChannelCursor(channel.clocks).list.map(\.description))
        return JSONAnswer.response(body)
    }

    private static func cursor(of request: Request) throws -> ChannelCursor {
        let texts = request.uri.queryParameters.getAll("after").flatMap { $0.split(separator: ",") }
        let events = texts.compactMap { EventID($0) }
        guard events.count == texts.count else {
            throw RequestError(
                .badRequest, .invalidMessage, "after must be the event_id of an event, or several with commas.")
        }
        return ChannelCursor(events)
    }

    /// The trip or route that a request names, where its token may watch it.
    private func permitted(
        _ kind: ChannelName.Kind, _ request: Request, _ context: BasicRequestContext
    ) async throws -> ChannelName {
        let claims = try await RequestToken.claims(of: request, tokens)
        guard let name = context.parameters.get("id").flatMap({ ChannelName("\(kind.rawValue):\($0)") }) else {
            throw RequestError(
                .badRequest, .invalidMessage, "The id behind /\(kind.rawValue)s/ must be that of a \(kind.rawValue).")
        }
        guard name.isAllowed(by: claims) else {
            throw RequestError(.forbidden, .notAllowed, "The token does not name \(name).")
        }
        return name
    }

    private func known(_ name: ChannelName, entries: Int) async throws -> StoredChannel {
        let channel: StoredChannel
        do { channel = try await desk.read(ChannelLookup(name, entries: entries)) } catch {
            throw RequestError.storeAway
        }
        guard !channel.clocks.isEmpty else {
            throw RequestError(
                .notFound, .tripNotFound, "Nothing was published for \(name) yet, or it ended over a day ago.")
        }
        return channel
    }
}
