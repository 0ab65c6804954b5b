import Hummingbird
import Runtime

/// Routes for displays at stops, which return arrivals.
extension RiderRoutes {
    /// Maximum number of routes per request, because each route's stream is read completely.
    private static let maximumRoutes = 20

    /// `GET /stops/{id}/arrivals?route=R1,R2`: arrivals of these routes' vehicles, including those that have passed.
    func arrivals(_ request: Request, _ context: ClientRequestContext) async throws -> Response {
        let claims = try await channels.admission.claims(of: request)
        let stop = ChannelRequests.pathID(context)
        guard !stop.isEmpty else {
            throw RequestError(.badRequest, .invalidMessage, "The percent-encoding of the path is invalid.")
        }
        let words = Set(request.words("route")).sorted()
        guard (1...Self.maximumRoutes).contains(words.count) else {
            throw RequestError(
                .badRequest, .invalidMessage,
                "route must list 1 to \(Self.maximumRoutes) routes that serve the stop: ?route=R1,R2.")
        }
        let routes = try words.map { try ChannelRequests.permitted(.route, $0, by: claims) }
        var runs: [StopArrivals.Run] = []
        for route in routes {
            let stored = try await channels.stored(route, .all)
            runs += StopArrivals(stopID: stop).runs(of: stored, routeID: route.id)
        }
        let trips = try await stored(runs.map(\.channel))
        var arrivals = StopArrivals(stopID: stop)
        for (run, trip) in zip(runs, trips) { arrivals.add(run, trip) }
        var body = MessageWriter()
        body.text("stopId", stop)
        body.number("timeStamp", WallClock.milliseconds())
        body.list("arrivals", json: arrivals.list)
        return JSONResponse.response(body)
    }

    /// Reads channels concurrently, so that they share a round trip to Redis.
    private func stored(_ names: [ChannelName]) async throws -> [StoredChannel] {
        try await withThrowingTaskGroup(of: (Int, StoredChannel).self) { group in
            for (index, name) in names.enumerated() {
                group.addTask { (index, try await channels.stored(name, .none)) }
            }
            var result = [StoredChannel](repeating: StoredChannel(), count: names.count)
            for try await (index, channel) in group { result[index] = channel }
            return result
        }
    }
}
