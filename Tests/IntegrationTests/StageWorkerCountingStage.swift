import Lanes
import Tracking

/// Counts the records of each key; the count travels in the journal's state header.
///
/// Every `sideEvery`-th record of a key also goes to a side output that precedes the journal, and unreadable values
/// ("bad") go there with the headers they came with.
final class CountingStage: Stage {
    struct Entry {
        var count: Int64 = 0
        var last: EventID?
    }

    static func layout(tickMilliseconds: Int64? = nil) -> StageLayout {
        StageLayout(
            name: "counting", inputs: [.init(topic: "in", resume: .afterJournal)],
            outputs: [.init(topic: "out"), .init(topic: "side")], memoryMilliseconds: 3_600_000,
            tickIntervalMilliseconds: tickMilliseconds,
            counters: [.init(metric: "sightline_test_total")])
    }

    var counts = [0]
    private let sideEvery: Int64
    private var entries: [String: Entry] = [:]
    private var lastEvent: EventID?
    private var ticksSince: UInt64 = 0

    init(sideEvery: Int64 = 10) { self.sideEvery = sideEvery }

    func restore(_ record: InputRecord) {
        guard let clock = record.clock else { return }
        if clock.tick == 0 {
            let count = record.state.buffer.loadUnaligned(as: Int64.self)
            entries[record.key.string] = Entry(count: Int64(littleEndian: count), last: clock)
        }
        lastEvent = clock
        ticksSince = clock.tick
    }

    func process(_ record: InputRecord, into outputs: inout OutputBatch) {
        let event = EventID(lane: record.lane, offset: record.offset)
        var entry = entries[record.key.string] ?? Entry()
        if let last = entry.last, !event.isAfter(last) { return }
        counts[0] += 1
        entry.count += 1
        entry.last = event
        entries[record.key.string] = entry
        lastEvent = event
        ticksSince = 0
        if entry.count % sideEvery == 0 {
            outputs.begin(
                topic: 1, clock: event, timestamp: record.timestamp, key: record.key, copiesInputHeaders: true)
            outputs.writeValue { $0.append("side \(entry.count)") }
        }
        outputs.begin(topic: 0, clock: event, timestamp: record.timestamp, key: record.key)
        outputs.writeValue { $0.append("\(entry.count)") }
        outputs.writeHeader(RecordHeader.state) { $0.append(littleEndian: entry.count) }
    }

    func tick(now: Timestamp, into outputs: inout OutputBatch) {
        guard let lastEvent else { return }
        ticksSince += 1
        ByteSlice.withBytes(of: "tick") { key in
            outputs.begin(topic: 0, clock: lastEvent.withTick(ticksSince), timestamp: now, key: key)
        }
        outputs.writeValue { $0.append("\(now.milliseconds)") }
        outputs.writeHeader(RecordHeader.state) { $0.append(littleEndian: Int64(0)) }
    }
}
