import Domain
import Processing

/// A processor that writes each trip, and joins each position of a driver with the driver's current trip.
///
/// A restore replays the input `trips`, so the changelog `joined` contains no state.
final class JoiningProcessor: Processor {
    static let layout = ProcessorLayout(
        name: "joining",
        inputs: [.init(topic: "positions", resume: .afterChangelog), .init(topic: "trips", resume: .replayed)],
        outputs: [.init(topic: "joined")], memoryMilliseconds: 3_600_000)

    var counts: [Int] = []
    private var trips: [String: String] = [:]

    func restore(_ record: InputRecord) {}

    func process(_ record: InputRecord, into outputs: inout OutputBatch) {
        let driver = record.key.string
        let text = record.value?.string ?? ""
        if record.input == 1 {
            trips[driver] = text
            let event = EventID(origin: .trips, partition: record.partition, offset: record.offset)
            outputs.begin(topic: 0, event: event, timestamp: record.timestamp, key: record.key)
            outputs.writeValue { $0.append("trip \(text)") }
        } else {
            let event = EventID(partition: record.partition, offset: record.offset)
            outputs.begin(topic: 0, event: event, timestamp: record.timestamp, key: record.key)
            outputs.writeValue { $0.append("\(text) on \(trips[driver] ?? "no trip")") }
        }
    }
}
