import Codec
import Domain
import Hummingbird
import PositionWorker
import Support

/// Routes for operators and dispatchers, which return drivers.
extension RiderRoutes {
    struct NearestQuery: Hashable {
        let place: Coordinate
        let radiusMeters: Double
        let count: Int
    }

    /// `GET /fleet`: all drivers.
    func fleet(_ request: Request) async throws -> Response {
        _ = try await channels.claims(of: request, scope: FleetPublisher.scope)
        let repository = FleetRepository(keyPrefix: keyPrefix)
        return JSONResponse.response(
            try await fleets.value(for: keyPrefix) {
                try await operatorStore.request { connection in
                    let ids = try repository.ids(over: connection)
                    return FleetSnapshot.body(try repository.drivers(ids, over: connection)).buffer
                }
            })
    }

    /// `GET /drivers/{id}/trail`: the driver with its risk signals, and its recent points, newest first.
    func trail(_ request: Request, _ context: ClientRequestContext) async throws -> Response {
        _ = try await channels.claims(of: request, scope: FleetPublisher.scope)
        let id = ChannelRequests.pathID(context)
        guard ByteSlice.withBytes(of: id, { Identifier.isValid($0) }) else {
            throw RequestError(.badRequest, .invalidMessage, "The path must contain a valid driver id.")
        }
        let repository = FleetRepository(keyPrefix: keyPrefix)
        let (driver, points) = try await operatorStore.request { connection in
            (try repository.drivers([id], over: connection)[id], try repository.trail(of: id, over: connection))
        }
        guard let driver else {
            throw RequestError(.notFound, .notFound, "No location of the driver in the last 24 hours.")
        }
        var body = MessageWriter()
        body.json("driver", driver.json)
        body.list("points", json: points)
        return JSONResponse.response(body)
    }

    /// `GET /drivers/near?lat=…&lon=…`: the nearest drivers, without those excluded by SIGHTLINE_NEAREST_DRIVERS.
    func near(_ request: Request) async throws -> Response {
        _ = try await channels.claims(of: request, scope: "drivers", or: FleetPublisher.scope)
        // Redis stores no positions beyond these latitudes.
        let latitudes = -GeoArea.maximumLatitude...GeoArea.maximumLatitude
        let place = Coordinate(
            latitude: try request.number("lat", in: latitudes),
            longitude: try request.number("lon", in: -180...180))
        let radius = try request.number("radius", in: 1...50_000, default: 5000)
        let count = try request.integer("count", in: 1...100, default: 10)
        let query = NearestQuery(place: place, radiusMeters: radius, count: count)
        let result = try await searches.value(for: query) { [operatorStore, keyPrefix, settings] in
            try await operatorStore.request { connection in
                try NearestSearch(keyPrefix: keyPrefix, nearestDrivers: settings.nearestDrivers, over: connection)
                    .drivers(near: place, radiusMeters: radius, count: count)
            }
        }
        var body = MessageWriter()
        body.list("drivers", json: result.drivers.map(Self.json))
        return JSONResponse.response(body)
    }

    /// Encodes a driver with the member names of the fleet's drivers.
    private static func json(_ driver: NearbyDriver) -> [UInt8] {
        var writer = MessageWriter()
        writer.text("driver_id", driver.driverID)
        writer.decimal("meters", driver.meters)
        writer.decimal("lat", driver.coordinate.latitude)
        writer.decimal("lon", driver.coordinate.longitude)
        writer.decimal("heading", driver.headingDegrees)
        writer.decimal("speed_mps", driver.speedMetersPerSecond)
        writer.decimal("accuracy_meters", driver.accuracyMeters)
        writer.number("fixed_at", driver.fixedAtMilliseconds)
        writer.text("trip_id", driver.tripID)
        writer.flag("is_halted", driver.isHalted)
        writer.flag("is_suspect", driver.isSuspect)
        return Array(writer.finished.utf8)
    }
}
