import PositionWorker
import Runtime

/// A row of `sightline nearest`.
struct NearbyDriverRow: Encodable, Equatable {
    var driverID: String
    var meters: Double
    var latitude: Double
    var longitude: Double
    var heading: Double?
    var speedMps: Double?
    var accuracyMeters: Double?
    /// Time of the fix in ISO 8601, in UTC.
    var fixedAt: String
    /// Age of the position, rounded down.
    var ageSeconds: Int
    var tripID: String?
    var isHalted: Bool
    /// Risk from 0 to 1; `nil` if an earlier version wrote the driver.
    var risk: Double?
    var isFlagged: Bool
    var isSuspect: Bool

    /// Creates a row; `now` is in milliseconds since 1970.
    init(_ driver: NearbyDriver, now: Int64) {
        driverID = driver.driverID
        meters = driver.meters
        latitude = driver.coordinate.latitude
        longitude = driver.coordinate.longitude
        heading = driver.headingDegrees
        speedMps = driver.speedMetersPerSecond
        accuracyMeters = driver.accuracyMeters
        fixedAt = WallClock.text(driver.fixedAtMilliseconds)
        ageSeconds = Int(max(0, now - driver.fixedAtMilliseconds) / 1000)
        tripID = driver.tripID
        isHalted = driver.isHalted
        risk = driver.risk
        isFlagged = driver.isFlagged
        isSuspect = driver.isSuspect
    }

    /// Status for the table: `flagged`, `suspect` or empty.
    var status: String { isFlagged ? "flagged" : isSuspect ? "suspect" : "" }
}
