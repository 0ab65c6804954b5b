import Recordings
import Support

/// Timetables: the files of a feed one behind the other, each ended by a byte 255, which no text has.
final class FeedTarget: FuzzTarget {
    static let name = "feed"
    private let folder = ScratchFolder()
    private let names = ["agency.txt", "trips.txt", "stop_times.txt", "stops.txt", "shapes.txt"]

    func run(_ input: ByteSlice) {
        var parts = input.buffer.split(separator: 0xFF, maxSplits: names.count - 1, omittingEmptySubsequences: false)
        while parts.count < names.count { parts.append(input.buffer[0..<0]) }
        for (name, part) in zip(names, parts) {
            if part.starts(with: [0x1f, 0x8b]) { return }
            _ = folder.write(ByteSlice(UnsafeRawBufferPointer(rebasing: part)), to: name)
        }
        guard let feed = try? GTFSFeed.read(path: folder.path, tripIDs: ["t1", "t2"]) else { return }
        hold(feed.trips.keys.allSatisfy { ["t1", "t2"].contains($0) }, "A trip was read that was not asked for.")
        feed.stops.values.forEach(holdPlace)
        for points in feed.shapes.values { points.forEach(holdPlace) }
        for trip in feed.trips.values {
            hold(zip(trip.stopTimes, trip.stopTimes.dropFirst()).allSatisfy { $0.sequence <= $1.sequence }, "No order.")
            for call in trip.stopTimes {
                for time in [call.arrivalSeconds, call.departureSeconds] {
                    hold(time.map { (0..<3_600_000).contains($0) } ?? true, "A call at \(time ?? 0) s.")
                }
            }
            if let start = feed.dayStart(trip.routeID) { _ = feed.date(of: start) }
        }
    }
}
