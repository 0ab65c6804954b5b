import Domain
import Hummingbird
import PositionWorker

/// Route for dispatchers: the drivers nearest to a place.
struct NearestRoutes: Sendable {
    /// The required token scope; the fleet's scope is also sufficient.
    static let scope = "drivers"

    private static let maximumRadiusMeters = 50_000.0
    private static let maximumCount = 100

    let store: RedisExecutor
    let admission: RequestAdmission
    let keyPrefix: String
    let nearestDrivers: NearestDrivers
    /// Shares the results of equal queries for a second.
    private let searches = ReadCoalescer<Query, NearestSearch.Result>()

    private struct Query: Hashable {
        let latitude: Double
        let longitude: Double
        let radiusMeters: Double
        let count: Int
    }

    init(store: RedisExecutor, admission: RequestAdmission, keyPrefix: String, nearestDrivers: NearestDrivers) {
        self.store = store
        self.admission = admission
        self.keyPrefix = keyPrefix
        self.nearestDrivers = nearestDrivers
    }

    func add(to router: Router<ClientRequestContext>) {
        router.get("drivers/near") { request, _ in try await near(request) }
    }

    /// `GET /drivers/near?lat=…&lon=…`: the nearest drivers, without those excluded by SIGHTLINE_NEAREST_DRIVERS.
    private func near(_ request: Request) async throws -> Response {
        let claims = try await admission.claims(of: request)
        guard claims.has(scope: Self.scope) || claims.has(scope: FleetPublisher.scope) else {
            throw RequestError(.forbidden, .notAllowed, "The token does not have the scope \(Self.scope).")
        }
        let parameters = RequestParameters(request)
        // Redis stores no positions beyond these latitudes.
        let latitudes = -GeoArea.maximumLatitude...GeoArea.maximumLatitude
        let place = Coordinate(
            latitude: try parameters.number("lat", in: latitudes),
            longitude: try parameters.number("lon", in: -180...180))
        let radius = try parameters.number("radius", in: 1...Self.maximumRadiusMeters, default: 5000)
        let count = try parameters.integer("count", in: 1...Self.maximumCount, default: 10)
        let query = Query(latitude: place.latitude, longitude: place.longitude, radiusMeters: radius, count: count)
        let result = try await searches.value(for: query) { [store, keyPrefix, nearestDrivers] in
            try await store.request { connection in
                try NearestSearch(keyPrefix: keyPrefix, nearestDrivers: nearestDrivers, over: connection)
                    .drivers(near: place, radiusMeters: radius, count: count)
            }
        }
        var body = MessageWriter()
        body.list("drivers", json: result.drivers.map(Self.json))
        return JSONResponse.response(body)
    }

    /// Uses the same member names as the drivers of the fleet.
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
