import Hummingbird
import NIOCore
import PositionWorker

/// Router of rider-gateway's HTTP requests, and the handlers for trips and vehicle routes.
struct RiderRoutes: Sendable {
    let channels: ChannelRequests
    /// Separate from the riders' executor, so that operators and dispatchers do not delay riders.
    let operatorStore: RedisExecutor
    let streams: StreamOpener
    let addresses: AddressLimits
    let keyPrefix: String
    let settings: RiderGatewaySettings
    /// The body of `GET /fleet`, shared by requests within a second.
    let fleets = ReadCoalescer<String, ByteBuffer>()
    /// Results of nearest-driver searches, shared by equal queries within a second.
    let searches = ReadCoalescer<NearestQuery, NearestSearch.Result>()

    /// Maximum wait of a long poll, in seconds; shorter than usual proxy timeouts.
    private static let longestWaitSeconds = 25
    private static let pollIntervalMilliseconds = 500

    var router: Router<ClientRequestContext> {
        let router = Router(context: ClientRequestContext.self, options: .autoGenerateHeadEndpoints)
        if !settings.origins.isEmpty { router.add(middleware: CrossOriginMiddleware(origins: settings.origins)) }
        router.add(middleware: AddressLimitMiddleware(addresses: addresses))
        router.add(
            middleware: UnknownRequestMiddleware { path in
                Self.isDevicePath(path) ? Self.deviceMethods : [.get, .head]
            })
        router.get(RouterPath(RiderGateway.socketPath)) { _, _ in try SocketGate.refuseRequest() }
        router.get("config") { _, _ in configuration }
        router.get("trips/{id}") { request, context in try await trip(request, context) }
        router.get("trips/{id}/etas") { request, context in try await etas(request, context) }
        router.get("routes/{id}/vehicles") { request, context in try await vehicles(request, context) }
        router.get("trips/{id}/events") { request, context in try await events(request, context) }
        router.get("trips/{id}/stream") { request, context in try await stream(request, context) }
        router.put("trips/{id}/devices") { request, context in try await register(request, context) }
        router.delete("trips/{id}/devices") { request, context in try await unregister(request, context) }
        router.get("stops/{id}/arrivals") { request, context in try await arrivals(request, context) }
        router.get("drivers/near") { request, _ in try await near(request) }
        router.get("fleet") { request, _ in try await fleet(request) }
        router.get("drivers/{id}/trail") { request, context in try await trail(request, context) }
        for file in WebFile.all {
            router.get(RouterPath(file.path)) { _, _ in response(file) }
            if file.path == "map/map.html" { router.get("map") { _, _ in response(file) } }
        }
        router.get("map/streets.json") { _, _ in streets }
        router.get("map/token") { request, _ in try mapToken(request) }
        return router
    }

    /// `GET /config`: settings that clients need to connect.
    private var configuration: Response {
        var socket = MessageWriter()
        socket.text("baseUrl", "")
        socket.flag("forceReconnection", true)
        socket.text("socketPath", RiderGateway.socketPath)
        socket.number("socketReconnectionDelay", 500)
        socket.number("maxReconnectionDelay", 15_000)
        socket.number("connectionTimeout", 10_000)
        socket.texts("transportValues", ["websocket", "polling"])
        socket.flag("enableCookie", false)
        var body = MessageWriter()
        body.object("socketConnectionData", socket)
        body.number("pingIntervalMs", settings.connections.pingInterval.wholeMilliseconds)
        body.number("pollingIntervalMs", settings.pollingInterval.wholeMilliseconds)
        body.object("rtsServiceDetails", MessageWriter())
        body.text("tileUrl", settings.tileURL)
        return JSONResponse.response(body)
    }

    /// `GET /trips/{id}`: the trip's current state.
    private func trip(_ request: Request, _ context: ClientRequestContext) async throws -> Response {
        try await respond(request, context) { name, channel in
            var body = ChannelState.trip(channel)
            body.text("trip_id", name.id)
            body.texts("cursor", ChannelCursor(channel.watermarks).texts)
            return body
        }
    }

    /// `GET /trips/{id}/etas`: the trip's last published ETA.
    private func etas(_ request: Request, _ context: ClientRequestContext) async throws -> Response {
        try await respond(request, context) { name, channel in
            var body = ChannelState.arrival(channel)
            body.text("trip_id", name.id)
            return body
        }
    }

    /// Responds with a trip's state; the ETag is the id of its last event, or `updated_at` of its request.
    private func respond(
        _ request: Request, _ context: ClientRequestContext, _ body: (ChannelName, StoredChannel) -> MessageWriter
    ) async throws -> Response {
        let name = try await channels.permitted(.trip, request, context)
        let channel = try await channels.known(name, .none)
        let version = channel.fields[channel.isRequest ? "updated_at" : "event_id"] ?? []
        let tag = "\"\(String(decoding: version, as: UTF8.self))\""
        guard request.headers[.ifNoneMatch] != tag else {
            return Response(status: .notModified, headers: [.eTag: tag, .cacheControl: "no-cache"])
        }
        var response = JSONResponse.response(body(name, channel))
        response.headers[.eTag] = tag
        response.headers[.cacheControl] = "no-cache"
        return response
    }

    /// `GET /trips/{id}/events?after=EVENT_ID&wait=SECONDS`: missed events, or the next ones (long polling).
    private func events(_ request: Request, _ context: ClientRequestContext) async throws -> Response {
        let claims = try await channels.admission.claims(of: request)
        let name = try ChannelRequests.permitted(.trip, ChannelRequests.pathID(context), by: claims)
        guard let cursor = ChannelCursor(texts: request.words("after")) else {
            throw RequestError(
                .badRequest, .invalidMessage, "after must be an event id, or several separated by commas.")
        }
        let wait = try request.integer("wait", in: 0...Self.longestWaitSeconds, default: 0)
        // A user with too many open requests gets an immediate response.
        let user = RequestAdmission.user(RequestToken.text(of: request), claims)
        let slot = wait > 0 ? channels.users.requests.acquire(user, at: ClientSession.now) : nil
        defer { slot?.release() }
        let deadline = ContinuousClock.now + .seconds(slot == nil ? 0 : wait)
        while true {
            let (channel, missed) = try await missed(after: cursor, of: name)
            if missed?.isEmpty == true, ContinuousClock.now < deadline {
                try await Task.sleep(for: .milliseconds(Self.pollIntervalMilliseconds))
                continue
            }
            var body = MessageWriter()
            body.list("events", json: (missed ?? []).map(\.message))
            body.texts("cursor", ChannelCursor(channel.watermarks).texts)
            if missed == nil { body.object("snapshot", ChannelState.trip(channel)) }
            return JSONResponse.response(body)
        }
    }

    /// Returns the channel and its entries after `cursor`, or `nil` entries if its stream starts later.
    ///
    /// Reads few entries first, because a client that polls has usually missed few.
    private func missed(
        after cursor: ChannelCursor, of name: ChannelName
    ) async throws -> (StoredChannel, [StoredChannel.Entry]?) {
        let recent = try await channels.known(name, cursor.isEmpty ? .none : .recent)
        let missed = cursor.missed(of: recent.entries, writtenBy: recent.watermarks.keys)
        guard missed == nil, !cursor.isEmpty, !recent.hasAllEntries else { return (recent, missed) }
        let all = try await channels.known(name, .all)
        return (all, cursor.missed(of: all.entries, writtenBy: all.watermarks.keys))
    }

    /// `GET /routes/{id}/vehicles`: the last position of each vehicle of a route.
    private func vehicles(_ request: Request, _ context: ClientRequestContext) async throws -> Response {
        let name = try await channels.permitted(.route, request, context)
        let channel = try await channels.known(name, .all)
        var body = ChannelState.snapshot(of: name, channel)
        body.texts("cursor", ChannelCursor(channel.watermarks).texts)
        return JSONResponse.response(body)
    }
}
