@testable import ClientAudit
@testable import Domain
@testable import Support

/// `rider.updates` in memory, and the log of one client.
struct ReceivedTraffic {
    struct Record {
        var event: EventID
        var offset: Int64
        var channel: String
        var text: String
    }

    /// The records by partition, in order.
    var topic: [Int32: [Record]] = [:]
    /// The lines of the log.
    var lines: [String] = []
    /// Whether retention may have deleted the first records of every partition.
    var isTruncated = false

    /// Returns partitions 3 to 5 with events 0 to 19 of `trip:a`; in partition 3, one of `trip:b` follows each.
    static func ordinary() -> ReceivedTraffic {
        var traffic = ReceivedTraffic()
        for partition in Int32(3)...5 {
            for offset in Int64(0)..<20 {
                traffic.publish(EventID(partition: partition, offset: offset))
                if partition == 3 {
                    traffic.publish(EventID(partition: 3, offset: offset).withMessage(1), in: "trip:b")
                }
            }
        }
        return traffic
    }

    static func text(_ event: EventID, in channel: String = "trip:a") -> String {
        #"{"type":"eta_update","event_id":"\#(event)","channel":"\#(channel)","#
            + #""payload":{"of":"\#(event)","list":[1,{"a":"]}"}]}}"#
    }

    mutating func publish(_ event: EventID, in channel: String = "trip:a") {
        let count = topic[event.partition]?.count ?? 0
        topic[event.partition, default: []].append(
            Record(event: event, offset: Int64(count), channel: channel, text: Self.text(event, in: channel)))
    }

    /// Returns the text of an event on the topic; empty if the topic lacks the event.
    func text(_ event: EventID) -> String {
        topic[event.partition]?.first { $0.event == event }?.text ?? ""
    }

    // MARK: The messages of the client

    mutating func connect() { lines.append(#"{"type":"connected","connection":1}"#) }

    /// Adds a `subscribed` message with `replay_from`, or with a snapshot if `replayFrom` is `nil`.
    mutating func subscribed(_ cursor: [String], in channel: String = "trip:a", replayFrom: [String]? = nil) {
        let from = replayFrom.map { $0.count == 1 ? "\"\($0[0])\"" : Self.list($0) } ?? "null"
        let snapshot = replayFrom == nil ? #","snapshot":{"state":null,"event_id":"9-9"}"# : ""
        lines.append(
            #"{"type":"subscribed","message_id":2,"channel":"\#(channel)","replay_from":\#(from),"#
                + #""cursor":\#(Self.list(cursor))\#(snapshot)}"#)
    }

    mutating func synchronized(
        _ cursor: [String], in channel: String = "trip:a", missed: [String] = [], isFull: Bool = false
    ) {
        lines.append(
            #"{"type":"state_sync","channel":"\#(channel)","trip_id":"a","current_state":"IN_PROGRESS","#
                + #""full_refresh":\#(isFull),"missed_events":[\#(missed.joined(separator: ","))],"#
                + #""latest_driver_location":{"lat":1},"cursor":\#(Self.list(cursor))}"#)
    }

    /// Adds the `trip:a` events of a partition with these offsets to the log.
    mutating func receive(_ offsets: ClosedRange<Int64>, partition: Int32 = 3) {
        for offset in offsets { receive(EventID(partition: partition, offset: offset)) }
    }

    mutating func receive(_ event: EventID) { lines.append(text(event)) }

    static func list(_ texts: [String]) -> String { "[" + texts.map { "\"\($0)\"" }.joined(separator: ",") + "]" }

    // MARK: The comparison

    func log() throws -> ReceivedLog {
        let reader = ReceivedMessageReader()
        let entries = try lines.enumerated().map { number, line in
            ReceivedLog.Entry(line: number + 1, message: try ByteSlice.withBytes(of: line) { try reader.read($0) })
        }
        return ReceivedLog(path: "client.log", entries: entries)
    }

    func records(of channels: Set<String>) -> ChannelRecords {
        var records = ChannelRecords(channels: channels)
        for (partition, list) in topic {
            if isTruncated { records.truncated.insert(partition) }
            for record in list {
                ByteSlice.withBytes(of: record.channel) { key in
                    ByteSlice.withBytes(of: record.text) {
                        records.add(record.event, offset: record.offset, key: key, value: $0)
                    }
                }
            }
        }
        return records
    }

    func compare(exampleLimit: Int = 10) throws -> ClientReport {
        let log = try log()
        var report = ClientReport(exampleLimit: exampleLimit)
        ReceivedComparison(log, with: records(of: log.channels)).run(into: &report)
        return report
    }
}
