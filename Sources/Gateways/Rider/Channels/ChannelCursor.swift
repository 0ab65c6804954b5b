import Model

/// How far a client is in a channel: the last event that it had of each source, a partition of a topic.
package struct ChannelCursor: Hashable, Sendable {
    private struct Source: Hashable {
        var partition: Int32
        var origin: EventID.Origin
    }

    private var events: [Source: EventID] = [:]

    /// `events`: the last event of each source; of a source named twice, the later one counts.
    package init(_ events: [EventID]) {
        for event in events { advance(to: event) }
    }

    /// The ids of events as clients name them; `nil` where one of them is none.
    package init?(texts: [String]) {
        let events = texts.compactMap { EventID($0) }
        guard events.count == texts.count else { return nil }
        self.init(events)
    }

    /// Everything up to `clocks`.
    package init(_ clocks: [Int32: Watermark]) {
        self.init(clocks.values.flatMap { [$0.raw, $0.trips] }.compactMap { $0 })
    }

    package var isEmpty: Bool { events.isEmpty }

    /// The events, of each source one, in the order of partitions.
    package var list: [EventID] {
        events.values.sorted { ($0.partition, $0.origin.rawValue) < ($1.partition, $1.origin.rawValue) }
    }

    /// Takes in an event that the client has had.
    package mutating func advance(to event: EventID) {
        let source = Source(partition: event.partition, origin: event.origin)
        guard events[source].map({ event.isAfter($0) }) ?? true else { return }
        events[source] = event
    }

    /// Whether a client at this cursor has had `event`.
    package func includes(_ event: EventID) -> Bool {
        events[Source(partition: event.partition, origin: event.origin)].map { !event.isAfter($0) } ?? false
    }

    /// The entries that a client at this cursor has not had, in order.
    ///
    /// - Parameters:
    ///   - entries: the newest entries of the channel's stream, oldest first.
    ///   - partitions: those that have written the channel.
    /// - Returns: `nil` where `entries` do not reach back to the cursor, or where the cursor names no event of one of the
    ///   partitions, so that it is not known from where on the client has missed its entries; also where no partition
    ///   has written the channel.
    package func missed(
        of entries: [StoredChannel.Entry], writtenBy partitions: some Collection<Int32>
    ) -> [StoredChannel.Entry]? {
        guard !partitions.isEmpty else { return nil }
        var places: [Int32: Int] = [:]
        for (index, entry) in entries.enumerated()
        where events[Source(partition: entry.event.partition, origin: entry.event.origin)] == entry.event {
            places[entry.event.partition] = index
        }
        guard partitions.allSatisfy({ places[$0] != nil }) else { return nil }
        return entries.enumerated().filter { index, entry in
            places[entry.event.partition].map { index > $0 } ?? false
        }.map(\.element)
    }

    /// Whether the client has an event that the store does not have yet.
    package func isAhead(of clocks: [Int32: Watermark]) -> Bool {
        events.values.contains { event in
            clocks[event.partition]?.last(of: event.origin).map { event.isAfter($0) } ?? true
        }
    }
}
