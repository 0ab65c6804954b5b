import Hummingbird
import Model
import PositionWorker

/// The request of a dispatcher: who is near a place.
struct NearestRoutes: Sendable {
    /// The scope of a token that may ask; the fleet's may, too.
    static let scope = "drivers"

    private static let maximumRadiusMeters = 50_000.0
    private static let maximumCount = 100

    let desk: RedisExecutor
    let admission: RequestAdmission
    let keyPrefix: String
    let nearestDrivers: NearestDrivers
    /// The answers to the same question are shared for a second.
    private let searches = SharedReads<Question, NearestSearch.Result>()

    private struct Question: Hashable {
        let latitude: Double
        let longitude: Double
        let radiusMeters: Double
        let count: Int
    }

    init(desk: RedisExecutor, admission: RequestAdmission, keyPrefix: String, nearestDrivers: NearestDrivers) {
        self.desk = desk
        self.admission = admission
        self.keyPrefix = keyPrefix
        self.nearestDrivers = nearestDrivers
    }

    func add(to router: Router<ClientRequestContext>) {
        router.get("drivers/near") { request, _ in try await near(request) }
    }

    /// `GET /drivers/near?lat=…&lon=…`: the nearest drivers, without those whom SIGHTLINE_NEAREST_DRIVERS leaves out.
    private func near(_ request: Request) async throws -> Response {
        let claims = try await admission.claims(of: request)
        guard claims.has(scope: Self.scope) || claims.has(scope: FleetPublisher.scope) else {
            throw RequestError(.forbidden, .notAllowed, "The token does not have the scope \(Self.scope).")
        }
        let parameters = RequestParameters(request)
        // Redis holds no positions beyond.
        let latitudes = -GeoArea.maximumLatitude...GeoArea.maximumLatitude
        let place = Coordinate(
            latitude: try parameters.number("lat", in: latitudes),
            longitude: try parameters.number("lon", in: -180...180))
        let radius = try parameters.number("radius", in: 1...Self.maximumRadiusMeters, default: 5000)
        let count = try parameters.integer("count", in: 1...Self.maximumCount, default: 10)
        let (desk, prefix, left) = (desk, keyPrefix, nearestDrivers)
        let question = Question(
            latitude: place.latitude, longitude: place.longitude, radiusMeters: radius, count: count)
        let result: NearestSearch.Result
        do {
            result = try await searches.value(for: question) {
                try await desk.ask { connection in
                    try NearestSearch(keyPrefix: prefix, nearestDrivers: left, over: connection)
                        .drivers(near: place, radiusMeters: radius, count: count)
                }
            }
        } catch { throw RequestError.storeAway }
        var body = MessageWriter()
        body.list("drivers", json: result.drivers.map(Self.json))
        return JSONResponse.response(body)
    }

    /// With the names of the fleet's drivers.
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
