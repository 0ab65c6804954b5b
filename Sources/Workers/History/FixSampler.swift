import Domain
import Processing
import Support

/// Sampler of accepted fixes, by time and distance from the driver's last stored fix.
///
/// The state can be restored from the database, so that a restart or a rewind selects the same fixes.
struct FixSampler: ~Copyable {
    struct Fix {
        var at: Timestamp
        var coordinate: Coordinate
    }

    /// Maximum number of drivers, about 100 bytes each; at the limit, all are removed.
    private static let capacity = 200_000

    private let intervalMilliseconds: Int64
    private let distanceMeters: Double
    private var drivers = KeyTable()
    private var stored: ContiguousArray<Fix?> = []

    init(intervalMilliseconds: Int64, distanceMeters: Double) {
        self.intervalMilliseconds = intervalMilliseconds
        self.distanceMeters = distanceMeters
    }

    mutating func removeAll() {
        drivers = KeyTable()
        stored.removeAll(keepingCapacity: true)
    }

    func contains(_ driver: ByteSlice) -> Bool { drivers.find(driver) != nil }

    /// Restores a driver's last stored fix; `nil` if the database has none.
    mutating func restore(_ driver: ByteSlice, _ last: Fix?) {
        if drivers.count >= Self.capacity { removeAll() }
        stored[drivers.slot(of: driver, in: &stored, blank: nil)] = last
    }

    /// Returns whether to store a fix; if so, the driver's next fix is compared with it.
    mutating func keeps(driver: ByteSlice, at: Timestamp, coordinate: Coordinate) -> Bool {
        if let index = drivers.find(driver), let last = stored[index] {
            if at.milliseconds - last.at.milliseconds < intervalMilliseconds { return false }
            if Geodesy.distanceMeters(from: last.coordinate, to: coordinate) < distanceMeters { return false }
        }
        restore(driver, Fix(at: at, coordinate: coordinate))
        return true
    }
}
