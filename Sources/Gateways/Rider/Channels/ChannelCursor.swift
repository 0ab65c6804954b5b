import Domain

/// A client's progress in a channel: the last received event of each source (a partition of a topic).
struct ChannelCursor: Hashable, Sendable {
    private struct Source: Hashable {
        var partition: Int32
        var origin: EventID.Origin
    }

    private var latest: [Source: EventID] = [:]

    /// Creates a cursor; of several events of a source, it uses the newest.
    init(_ events: [EventID]) {
        for event in events { advance(to: event) }
    }

    /// Parses event ids as clients send them; `nil` if one of them is invalid.
    init?(texts: [String]) {
        let events = texts.compactMap { EventID($0) }
        guard events.count == texts.count else { return nil }
        self.init(events)
    }

    /// Creates a cursor at the watermarks of partitions.
    init(_ watermarks: [Int32: Watermark]) {
        self.init(watermarks.values.flatMap { [$0.raw, $0.trips] }.compactMap { $0 })
    }

    var isEmpty: Bool { latest.isEmpty }

    /// The last event of each source, ordered by partition.
    var events: [EventID] {
        latest.values.sorted { ($0.partition, $0.origin.rawValue) < ($1.partition, $1.origin.rawValue) }
    }

    /// The ids of ``events`` as clients receive them.
    var texts: [String] { events.map(\.description) }

    /// Records that the client received `event`; an older event of the source has no effect.
    mutating func advance(to event: EventID) {
        let source = Source(partition: event.partition, origin: event.origin)
        guard latest[source].map({ event.isAfter($0) }) ?? true else { return }
        latest[source] = event
    }

    /// Returns whether the client has received `event`.
    func includes(_ event: EventID) -> Bool {
        latest[Source(partition: event.partition, origin: event.origin)].map { !event.isAfter($0) } ?? false
    }

    /// Returns the entries after this cursor, in order.
    ///
    /// `entries`: the newest entries of the channel's stream, oldest first. `partitions`: all partitions that wrote it.
    /// - Returns: `nil` if `partitions` is empty, or if `entries` lacks the cursor's events of a partition, because
    ///   missed entries may have been trimmed from the stream.
    func missed(
        of entries: [StoredChannel.Entry], writtenBy partitions: some Collection<Int32>
    ) -> [StoredChannel.Entry]? {
        guard !partitions.isEmpty else { return nil }
        var indices: [Int32: Int] = [:]
        for (index, entry) in entries.enumerated()
        where latest[Source(partition: entry.event.partition, origin: entry.event.origin)] == entry.event {
            indices[entry.event.partition] = index
        }
        guard partitions.allSatisfy({ indices[$0] != nil }) else { return nil }
        return entries.enumerated().filter { index, entry in
            indices[entry.event.partition].map { index > $0 } ?? false
        }.map(\.element)
    }

    /// Returns whether the client has received an event that the store does not have yet.
    func isAhead(of watermarks: [Int32: Watermark]) -> Bool {
        latest.values.contains { event in
            watermarks[event.partition]?.last(of: event.origin).map { event.isAfter($0) } ?? true
        }
    }
}
