import Recordings
import Support

/// Days from four to four in the morning by the sun, where a recording was made.
struct ServiceDay {
    private let shiftSeconds: Double

    init(of log: VehicleLog) {
        let longitude = log.vehicles.lazy.flatMap(\.trace.fixes).map(\.coordinate.longitude).first { $0 != 0 } ?? 0
        shiftSeconds = longitude / 360 * 86_400 - 4 * 3600
    }

    /// The number of a time's day.
    func day(of time: Timestamp) -> Int64 {
        Int64(
            (time.advanced(bySeconds: shiftSeconds).seconds(since: Timestamp(milliseconds: 0)) / 86_400).rounded(.down))
    }

    /// On how many days trips began.
    func count(of trips: [RecordedTrip]) -> Int { Set(trips.map { day(of: $0.startsAt) }).count }
}
