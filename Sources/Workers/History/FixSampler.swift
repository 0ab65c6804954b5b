import Model
import Support

/// Decides which judged fixes are kept where not all are wanted: by time and distance from the driver's last one
/// kept.
///
/// What it remembers can be read back from the history, so that a restart or a rewind does not change what is kept.
struct FixSampler: ~Copyable {
    private struct Kept {
        var at: Timestamp
        var coordinate: Coordinate
    }

    /// Over this many drivers everything is forgotten and read back as needed; about 100 bytes each.
    private static let capacity = 200_000

    private let intervalMilliseconds: Int64
    private let distanceMeters: Double
    private var drivers = KeyTable()
    private var kept: [Kept?] = []

    init(intervalMilliseconds: Int64, distanceMeters: Double) {
        self.intervalMilliseconds = intervalMilliseconds
        self.distanceMeters = distanceMeters
    }

    mutating func forgetAll() {
        drivers = KeyTable()
        kept.removeAll(keepingCapacity: true)
    }

    func knows(_ driver: ByteSlice) -> Bool { drivers.find(driver) != nil }

    /// Takes over what the history knows of a driver; `nil` when it knows nothing.
    mutating func remember(_ driver: ByteSlice, _ last: (at: Timestamp, coordinate: Coordinate)?) {
        if drivers.count >= Self.capacity { forgetAll() }
        let index = drivers.insert(driver).index
        if index >= kept.count { kept.append(contentsOf: repeatElement(nil, count: index + 1 - kept.count)) }
        kept[index] = last.map { Kept(at: $0.at, coordinate: $0.coordinate) }
    }

    /// Whether this judged fix is to be kept; if so it is the one that the next is measured against.
    mutating func keeps(driver: ByteSlice, at: Timestamp, coordinate: Coordinate) -> Bool {
        if let index = drivers.find(driver), let last = kept[index] {
            if at.milliseconds - last.at.milliseconds < intervalMilliseconds { return false }
            if Geodesy.distanceMeters(from: last.coordinate, to: coordinate) < distanceMeters { return false }
        }
        remember(driver, (at, coordinate))
        return true
    }
}
