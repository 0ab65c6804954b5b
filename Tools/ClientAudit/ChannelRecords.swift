import Domain
import Support

/// The records of some channels in `rider.updates`, without repeated records.
struct ChannelRecords {
    struct Record {
        var event: EventID
        var offset: Int64
        var value: [UInt8]
    }

    /// The records of one channel in one partition, in order.
    struct Partition {
        private(set) var records: [Record] = []
        private var indices: [EventID: Int] = [:]

        mutating func append(_ record: Record) {
            indices[record.event] = records.count
            records.append(record)
        }

        /// Returns the index of an event's record; `nil` if absent.
        func index(of event: EventID) -> Int? { indices[event] }

        /// Returns the number of records up to the last record that `watermark` covers.
        func count(upTo watermark: Watermark?) -> Int {
            guard let watermark else { return 0 }
            let last = records.lastIndex { record in
                watermark.last(of: record.event.origin).map { !record.event.isAfter($0) } ?? false
            }
            return last.map { $0 + 1 } ?? 0
        }
    }

    /// Partitions whose oldest records retention has deleted.
    var truncated: Set<Int32> = []
    private let keys: [[UInt8]: String]
    private var channels: [String: [Int32: Partition]] = [:]
    private var watermarks: [Int32: Watermark] = [:]
    /// The first event of each origin, by partition.
    private var firstEvents: [Int32: Watermark] = [:]

    init(channels: Set<String>) { keys = Dictionary(uniqueKeysWithValues: channels.map { (Array($0.utf8), $0) }) }

    /// Returns the records of a channel by partition; empty if the channel has no records.
    func partitions(of channel: String) -> [Int32: Partition] { channels[channel] ?? [:] }

    /// Whether retention may have deleted the record of an event.
    func mayBeDeleted(_ event: EventID) -> Bool {
        guard truncated.contains(event.partition) else { return false }
        return firstEvents[event.partition]?.last(of: event.origin).map { $0.isAfter(event) } ?? true
    }

    /// Adds the next record of a partition; like all readers, drops a record that does not advance the watermark.
    mutating func add(_ event: EventID, offset: Int64, key: ByteSlice, value: ByteSlice?) {
        guard watermarks[event.partition, default: Watermark()].advance(to: event) else { return }
        if firstEvents[event.partition]?.last(of: event.origin) == nil {
            firstEvents[event.partition, default: Watermark()].advance(to: event)
        }
        guard let channel = keys[Array(key.buffer)], let value else { return }
        channels[channel, default: [:]][event.partition, default: Partition()].append(
            Record(event: event, offset: offset, value: Array(value.buffer)))
    }
}
