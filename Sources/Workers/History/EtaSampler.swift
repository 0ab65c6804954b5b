import Support

/// Decides which records of `trip.etas` are read: one per trip and window of stream time, and every change of the trip.
///
/// The choice needs the record's key, time and clock alone, so the others are not even parsed. Windows are fixed in
/// time (multiples of their length), and what is remembered of a trip can be read back from the history, so that a
/// restart or a rewind keeps the same samples.
struct EtaSampler: ~Copyable {
    private struct Trip {
        var window: Int64
        /// Stops before this index have their passing in the history.
        var passedStops: Int
    }

    /// Over this many trips everything is forgotten and read back as needed; about 100 bytes each.
    private static let capacity = 200_000

    private let windowMilliseconds: Int64
    private var keys = KeyTable()
    private var trips: [Trip] = []

    init(windowMilliseconds: Int64) { self.windowMilliseconds = windowMilliseconds }

    mutating func forgetAll() {
        keys = KeyTable()
        trips.removeAll(keepingCapacity: true)
    }

    func knows(_ trip: ByteSlice) -> Bool { keys.find(trip) != nil }

    /// Takes over what the history knows of a trip: its last sample and the stops passed.
    mutating func remember(_ trip: ByteSlice, lastSample: Timestamp?, passedStops: Int) {
        if keys.count >= Self.capacity { forgetAll() }
        let index = keys.insert(trip).index
        let blank = Trip(window: .min, passedStops: 0)
        if index >= trips.count { trips.append(contentsOf: repeatElement(blank, count: index + 1 - trips.count)) }
        trips[index] = Trip(window: .min, passedStops: passedStops)
        if let lastSample { trips[index].window = window(of: lastSample) }
    }

    /// Whether a record of `trip` at stream time `at` would begin a new window.
    func wants(trip: ByteSlice, at: Timestamp) -> Bool {
        guard let index = keys.find(trip) else { return true }
        return window(of: at) > trips[index].window
    }

    /// Begins a new window if a record of `trip` at stream time `at` falls into one.
    mutating func beginsWindow(trip: ByteSlice, at: Timestamp) -> Bool {
        if !knows(trip) { remember(trip, lastSample: nil, passedStops: 0) }
        guard let index = keys.find(trip), window(of: at) > trips[index].window else { return false }
        trips[index].window = window(of: at)
        return true
    }

    /// Whether the passing of stop number `index` is not in the history yet; then it is taken to be from now on.
    mutating func isNewlyPassed(trip: ByteSlice, stop index: Int) -> Bool {
        guard let found = keys.find(trip), index >= trips[found].passedStops else { return false }
        trips[found].passedStops = index + 1
        return true
    }

    private func window(of time: Timestamp) -> Int64 {
        let (quotient, remainder) = time.milliseconds.quotientAndRemainder(dividingBy: windowMilliseconds)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
