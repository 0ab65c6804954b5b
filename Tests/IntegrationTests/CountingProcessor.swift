import Domain
import Processing
import Support

/// A processor that writes the number of records per key to `out`, as value and as state header.
///
/// Every `sideEvery`-th record of a key also causes a record in `side`, with the input's headers.
final class CountingProcessor: Processor {
    struct Entry {
        var count: Int64 = 0
        var last: EventID?
    }

    static func layout(punctuationMilliseconds: Int64? = nil) -> ProcessorLayout {
        ProcessorLayout(
            name: "counting", inputs: [.init(topic: "in", resume: .afterChangelog)],
            outputs: [.init(topic: "out"), .init(topic: "side")], memoryMilliseconds: 3_600_000,
            punctuationIntervalMilliseconds: punctuationMilliseconds,
            counters: [.init(MetricDefinition("sightline_test_total", .counter, help: "Counts in tests."))])
    }

    var counts = [0]
    private let sideEvery: Int64
    private var entries: [String: Entry] = [:]
    private var lastEvent: EventID?
    private var punctuationsSinceEvent: UInt64 = 0

    init(sideEvery: Int64 = 10) { self.sideEvery = sideEvery }

    func restore(_ record: InputRecord) {
        guard let event = record.event else { return }
        if event.punctuation == 0 {
            let count = record.state.buffer.loadUnaligned(as: Int64.self)
            entries[record.key.string] = Entry(count: Int64(littleEndian: count), last: event)
        }
        lastEvent = event
        punctuationsSinceEvent = event.punctuation
    }

    func process(_ record: InputRecord, into outputs: inout OutputBatch) {
        let event = EventID(partition: record.partition, offset: record.offset)
        var entry = entries[record.key.string] ?? Entry()
        if let last = entry.last, !event.isAfter(last) { return }
        counts[0] += 1
        entry.count += 1
        entry.last = event
        entries[record.key.string] = entry
        lastEvent = event
        punctuationsSinceEvent = 0
        if entry.count % sideEvery == 0 {
            outputs.begin(
                topic: 1, event: event, timestamp: record.timestamp, key: record.key, copiesInputHeaders: true)
            outputs.writeValue { $0.append("side \(entry.count)") }
        }
        outputs.begin(topic: 0, event: event, timestamp: record.timestamp, key: record.key)
        outputs.writeValue { $0.append("\(entry.count)") }
        outputs.writeHeader(RecordHeader.state) { $0.append(littleEndian: entry.count) }
    }

    func punctuate(now: Timestamp, into outputs: inout OutputBatch) {
        guard let lastEvent else { return }
        punctuationsSinceEvent += 1
        ByteSlice.withBytes(of: "punctuation") { key in
            outputs.begin(topic: 0, event: lastEvent.withPunctuation(punctuationsSinceEvent), timestamp: now, key: key)
        }
        outputs.writeValue { $0.append("\(now.milliseconds)") }
        outputs.writeHeader(RecordHeader.state) { $0.append(littleEndian: Int64(0)) }
    }
}
