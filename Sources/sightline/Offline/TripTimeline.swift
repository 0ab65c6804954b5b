import Codec
import Recordings
import Support

/// Trip messages of a file, ordered by time.
struct TripTimeline {
    struct Entry {
        var driverID: String
        var value: [UInt8]
        var at: Timestamp
    }

    /// Messages in descending order of time.
    private var entries: [Entry] = []

    /// Reads the whole file; without a path there are no trips.
    ///
    /// A line without a readable `changed_at` gets the time of the previous line.
    /// - Throws: ``InputError`` for a line without a driver id, which is the key of a trip message.
    init(path: String?) throws {
        guard let path else { return }
        let lines = try LineReader(path: path)
        let reader = TripReader()
        var last = Timestamp(milliseconds: 0)
        while let line = try lines.next() {
            guard !line.isEmpty else { continue }
            // An invalid line with a recognizable driver id becomes a dead letter, as in the pipeline.
            guard let driver = reader.driverID(of: line) ?? RawLine(line).driverID else {
                throw InputError(
                    "\(path), line \(lines.lineNumber): \(FaultText.missing("driver_id")); expected NDJSON of trip "
                        + "messages, each with trip_id, driver_id and state")
            }
            last = Self.changedAt(line, driver, reader) ?? last
            entries.append(Entry(driverID: driver, value: Array(line.buffer), at: last))
        }
        let order = entries.indices.sorted { (entries[$0].at, $0) > (entries[$1].at, $1) }
        entries = order.map { entries[$0] }
    }

    /// Removes and returns the next message; `nil` if no message remains, or the next is later than `time`.
    mutating func next(upTo time: Timestamp?) -> Entry? {
        guard let next = entries.last, time.map({ next.at <= $0 }) ?? true else { return nil }
        return entries.removeLast()
    }

    private static func changedAt(_ line: ByteSlice, _ driver: String, _ reader: TripReader) -> Timestamp? {
        ByteSlice.withBytes(of: driver) { reader.read(key: $0, value: line).message?.changedAt }
    }
}
