import Processing
import Support

/// Sampler of `trip.etas`: one record with predictions per trip and window of stream time.
///
/// Key and timestamp decide whether a record is parsed. Windows begin at multiples of their length, and the state can
/// be restored from the database, so that a restart or a rewind selects the same samples.
struct EtaSampler: ~Copyable {
    private struct Trip {
        var window = Int64.min
        /// Index of the first stop that is not stored as passed.
        var passedStops = 0
    }

    /// Maximum number of trips, about 100 bytes each; at the limit, all are removed.
    private static let capacity = 200_000

    private let windowMilliseconds: Int64
    private var keys = KeyTable()
    private var trips: ContiguousArray<Trip> = []

    init(windowMilliseconds: Int64) { self.windowMilliseconds = windowMilliseconds }

    mutating func removeAll() {
        keys = KeyTable()
        trips.removeAll(keepingCapacity: true)
    }

    func contains(_ trip: ByteSlice) -> Bool { keys.find(trip) != nil }

    mutating func restore(_ trip: ByteSlice, lastSample: Timestamp?, passedStops: Int) {
        if keys.count >= Self.capacity { removeAll() }
        let index = keys.slot(of: trip, in: &trips, blank: Trip())
        trips[index] = Trip(window: lastSample.map { window(of: $0) } ?? .min, passedStops: passedStops)
    }

    /// Returns whether predictions of `trip` computed at `time` would be the first ones of their window.
    func startsWindow(trip: ByteSlice, at time: Timestamp) -> Bool {
        guard let index = keys.find(trip) else { return true }
        return window(of: time) > trips[index].window
    }

    /// Marks the window of `time` as sampled; call it only if predictions are stored.
    ///
    /// Otherwise the state could not be restored from the database.
    mutating func startWindow(trip: ByteSlice, at time: Timestamp) {
        if !contains(trip) { restore(trip, lastSample: nil, passedStops: 0) }
        guard let index = keys.find(trip) else { return }
        trips[index].window = max(trips[index].window, window(of: time))
    }

    /// Marks a stop as passed; `false` if it is already stored as passed.
    mutating func isNewlyPassed(trip: ByteSlice, stop index: Int) -> Bool {
        guard let found = keys.find(trip), index >= trips[found].passedStops else { return false }
        trips[found].passedStops = index + 1
        return true
    }

    private func window(of time: Timestamp) -> Int64 { time.index(ofInterval: windowMilliseconds) }
}
