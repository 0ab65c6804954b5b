import Domain
import Gateways

/// Simulates the pipeline behind a gateway: a channel's partitions, a store that lags, and an intake.
struct ChannelModel {
    struct Record: Equatable {
        var offset: Int64
        var event: EventID
    }

    /// The channel's records by partition, in order; records of other channels leave gaps between offsets.
    private(set) var log: [Int32: [Record]] = [:]
    private var ends: [Int32: Int64] = [:]
    /// The offset before which the store has everything of a partition.
    private(set) var progress: [Int32: Int64] = [:]
    private var stream: [StoredChannel.Entry] = []
    private var watermarks: [Int32: Watermark] = [:]
    /// The intake's next offset; absent if it does not read the partition.
    private var intake: [Int32: Int64] = [:]
    private let streamLength: Int

    /// Whether the store has the trip's request from the initial.
    private let isRequested: Bool

    init(streamLength: Int, isRequested: Bool = false) {
        self.streamLength = streamLength
        self.isRequested = isRequested
    }

    /// Appends a record of the channel, or of another channel.
    mutating func append(to partition: Int32, isOurs: Bool, origin: EventID.Origin) {
        let offset = ends[partition, default: 0]
        ends[partition] = offset + 1
        guard isOurs else { return }
        let event = EventID(origin: origin, partition: partition, offset: offset * 3 + 5)
        log[partition, default: []].append(Record(offset: offset, event: event))
    }

    /// Stores up to `count` records of a partition in one transaction.
    mutating func store(_ partition: Int32, count: Int64) {
        let from = progress[partition, default: 0]
        let to = min(ends[partition, default: 0], from + count)
        for record in log[partition, default: []] where record.offset >= from && record.offset < to {
            stream.append(.init(event: record.event, message: Array(record.event.description.utf8)))
            watermarks[partition, default: Watermark()].advance(to: record.event)
        }
        progress[partition] = to
        stream = stream.suffix(streamLength)
    }

    func read(_ depth: ChannelJoin<EventID>.Depth) -> StoredChannel {
        let entries =
            switch depth {
            case .none: [StoredChannel.Entry]()
            case .recent: Array(stream.suffix(3))
            case .all: stream
            }
        return StoredChannel(
            watermarks: watermarks, progress: progress.filter { watermarks[$0.key] != nil }, entries: entries,
            hasAllEntries: entries.count == stream.count,
            fields: isRequested && watermarks.isEmpty ? ["state": Array("REQUESTED".utf8)] : [:])
    }

    /// Starts to read partitions that are not read yet; returns the first offset of each.
    mutating func watch(_ starts: [Int32: Int64]) -> [Int32: Int64] {
        for (partition, start) in starts where intake[partition] == nil { intake[partition] = start }
        return starts.reduce(into: [:]) { $0[$1.key] = intake[$1.key] }
    }

    mutating func stopReading() { intake = [:] }

    /// Reads up to `count` offsets of a partition and returns the channel's events.
    mutating func poll(_ partition: Int32, count: Int64) -> [EventID] {
        guard let from = intake[partition] else { return [] }
        let to = min(ends[partition, default: 0], from + count)
        intake[partition] = to
        return log[partition, default: []].filter { $0.offset >= from && $0.offset < to }.map(\.event)
    }
}
