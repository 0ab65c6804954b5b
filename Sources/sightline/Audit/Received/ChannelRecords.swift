import Codec
import Model
import Support

/// The records of some channels in `rider.updates`, as readers of the topic see them: repetitions are not among them.
struct ChannelRecords {
    struct Record {
        var event: EventID
        var offset: Int64
        var value: [UInt8]
        /// Whether it tells where the driver of a trip is, so that a newer one makes it needless.
        var isPosition: Bool
    }

    /// The records of one channel in one partition, in its order.
    struct Partition {
        private(set) var records: [Record] = []
        private var places: [EventID: Int] = [:]

        mutating func append(_ record: Record) {
            places[record.event] = records.count
            records.append(record)
        }

        /// The number of an event's record, from 0; `nil` where there is none.
        func place(of event: EventID) -> Int? { places[event] }

        /// How many records, from the first on, someone has whose last event of each source is that of `clock`.
        func count(upTo clock: Watermark?) -> Int {
            guard let clock else { return 0 }
            let last = records.lastIndex { record in
                clock.last(of: record.event.origin).map { !record.event.isAfter($0) } ?? false
            }
            return last.map { $0 + 1 } ?? 0
        }
    }

    private var channels: [String: [Int32: Partition]] = [:]
    /// Of partitions whose beginning was deleted by retention: the first event of each source that is left.
    private var remaining: [Int32: Watermark] = [:]

    /// The channel's records by partition; partitions that have none are absent.
    func partitions(of channel: String) -> [Int32: Partition] { channels[channel] ?? [:] }

    /// Whether retention may have deleted the record of an event.
    func mayBeDeleted(_ event: EventID) -> Bool {
        guard let first = remaining[event.partition] else { return false }
        return first.last(of: event.origin).map { $0.isAfter(event) } ?? true
    }

    /// Takes in a partition of the topic, and keeps the records of `channels`.
    ///
    /// `isCut`: whether retention has deleted its oldest records.
    mutating func read(
        _ partition: Int32, from source: any RecordSource, channels: Set<String>, isCut: Bool
    ) throws {
        let keys = Dictionary(uniqueKeysWithValues: channels.map { (Array($0.utf8), $0) })
        let envelopes = RiderUpdateEnvelopeReader()
        // What readers drop is noted where the topic is compared with what it is made from.
        let changelog = ChangelogReader(source, check: AuditCheck("", "", exampleLimit: 0))
        var first = Watermark()
        while let (record, event) = try changelog.next() {
            if first.last(of: event.origin) == nil { first.advance(to: event) }
            guard let channel = keys[record.key], let value = record.value else { continue }
            let type = value.withUnsafeBytes { envelopes.read(ByteSlice($0))?.type }
            self.channels[channel, default: [:]][partition, default: Partition()].append(
                Record(event: event, offset: record.offset, value: value, isPosition: type == .driverLocation))
        }
        if isCut { remaining[partition] = first }
    }
}
