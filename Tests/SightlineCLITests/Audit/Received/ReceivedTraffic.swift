@testable import Model
@testable import SightlineCLI
@testable import Support

/// `rider.updates` in memory, and the log of a client of it.
struct ReceivedTraffic {
    /// The records of each partition, in its order.
    var topic: [Int32: [AuditedRecord]] = [:]
    /// The log's lines.
    var lines: [String] = []
    /// Whether retention has deleted the oldest records.
    var isCut = false

    /// Three partitions with 20 records each: events 0 to 19 of the raw topic, of the channel `trip:a`, every fifth one
    /// a position; and in partition 3 one of `trip:b` after each.
    static func ordinary() -> ReceivedTraffic {
        var traffic = ReceivedTraffic()
        for partition in Int32(3)...5 {
            for offset in Int64(0)..<20 {
                let type = offset % 5 == 4 ? Self.position : Self.eta
                traffic.publish(EventID(partition: partition, offset: offset), type: type)
                if partition == 3 {
                    traffic.publish(EventID(partition: 3, offset: offset).withMessage(1), in: "trip:b")
                }
            }
        }
        return traffic
    }

    static let eta = "eta_update"
    static let position = "driver_location"

    static func text(_ event: EventID, in channel: String = "trip:a", type: String = Self.eta) -> String {
        #"{"type":"\#(type)","event_id":"\#(event)","channel":"\#(channel)","#
            + #""payload":{"of":"\#(event)","list":[1,{"a":"]}"}]}}"#
    }

    mutating func publish(_ event: EventID, in channel: String = "trip:a", type: String = Self.eta) {
        let count = topic[event.partition]?.count ?? 0
        topic[event.partition, default: []].append(
            AuditedRecord(
                partition: event.partition, offset: Int64(count), event: event, timestamp: Timestamp(milliseconds: 1),
                key: Array(channel.utf8), value: Array(Self.text(event, in: channel, type: type).utf8)))
    }

    /// The text of an event as it stands on the topic.
    func text(_ event: EventID) -> String {
        let record = topic[event.partition]?.first { $0.event == event }
        return String(decoding: record?.value ?? [], as: UTF8.self)
    }

    // MARK: What the client gets

    mutating func connect() { lines.append(#"{"type":"connected","connection":1}"#) }

    /// A `subscribed` with a snapshot, or, where it resumes, with `replay_from`.
    mutating func subscribed(_ cursor: [String], in channel: String = "trip:a", replayFrom: [String]? = nil) {
        let from = replayFrom.map { $0.count == 1 ? "\"\($0[0])\"" : Self.list($0) } ?? "null"
        let snapshot = replayFrom == nil ? #","snapshot":{"state":null,"event_id":"9-9"}"# : ""
        lines.append(
            #"{"type":"subscribed","message_id":2,"channel":"\#(channel)","replay_from":\#(from),"#
                + #""cursor":\#(Self.list(cursor))\#(snapshot)}"#)
    }

    mutating func synchronised(
        _ cursor: [String], in channel: String = "trip:a", missed: [String] = [], isFull: Bool = false
    ) {
        lines.append(
            #"{"type":"state_sync","channel":"\#(channel)","trip_id":"a","current_state":"IN_PROGRESS","#
                + #""full_refresh":\#(isFull),"missed_events":[\#(missed.joined(separator: ","))],"#
                + #""latest_driver_location":{"lat":1},"cursor":\#(Self.list(cursor))}"#)
    }

    /// The events of `trip:a` with these offsets, in a partition.
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

    func records(of channels: Set<String>) throws -> ChannelRecords {
        var records = ChannelRecords()
        for (partition, list) in topic {
            try records.read(partition, from: RecordList(list), channels: channels, isCut: isCut)
        }
        return records
    }

    /// Compares the log with the topic.
    func compare(
        _ options: ReceivedComparison.Options = ReceivedComparison.Options()
    ) throws -> (check: AuditCheck, totals: ReceivedTotals) {
        let log = try log()
        let check = ReceivedSession.check(exampleLimit: 10)
        let totals = ReceivedComparison(log, with: try records(of: log.channels), check: check, options).run()
        return (check, totals)
    }
}
