import HistoryWorker
import Postgres
import Smoothing

/// A row of `smoothed_locations`, and the same made from the fixes.
struct SmoothedRow: Equatable {
    var receivedAt: Int64
    var fixedAt: Int64
    var latitude: Double
    var longitude: Double
    var heading: Float?
    var speed: Float
    var accuracy: Float
    var driverID: String

    /// The row that a fix makes.
    init(_ fix: SmoothedFix, of driver: String, _ label: SmoothedLabel) {
        receivedAt = label.receivedAt.milliseconds
        fixedAt = label.fixedAt.milliseconds
        latitude = fix.coordinate.latitude
        longitude = fix.coordinate.longitude
        heading = fix.headingDegrees.map { Float($0) }
        speed = Float(fix.speedMetersPerSecond)
        accuracy = Float(fix.accuracyMeters)
        driverID = driver
    }

    /// The columns read, in the order of ``init(_:at:)``.
    static let columns = """
        (extract(epoch FROM received_at) * 1000)::bigint, (extract(epoch FROM fixed_at) * 1000)::bigint, latitude,
        longitude, heading, speed_mps, accuracy_meters, driver_id
        """

    /// Reads ``columns``, the first of them at `start`.
    init(_ row: PostgresRow, at start: Int) throws {
        receivedAt = try row.integer(start)
        fixedAt = try row.integer(start + 1)
        latitude = try row.double(start + 2)
        longitude = try row.double(start + 3)
        heading = row.string(start + 4).flatMap { Float($0) }
        speed = row.string(start + 5).flatMap { Float($0) } ?? .nan
        accuracy = row.string(start + 6).flatMap { Float($0) } ?? .nan
        driverID = try row.text(start + 7)
    }
}
