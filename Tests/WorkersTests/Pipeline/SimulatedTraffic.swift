import Domain
import Processors
import Processing
import Simulation
import Support

/// In-memory records of one partition of a topic.
struct RecordedTopic {
    struct Record: Equatable {
        var key: [UInt8]
        var value: [UInt8]?
        var timestamp: Timestamp
        var event: EventID?
        var state: [UInt8] = []
        var watermarkHeader: [UInt8] = []
    }

    var records: [Record] = []

    /// Calls `body` with the record at `offset`, as input `input` of `partition`, and its watermark header.
    func with(_ offset: Int, input: Int, partition: Int32 = 0, _ body: (InputRecord, ByteSlice) -> Void) {
        let record = records[offset]
        record.key.withUnsafeBytes { key in
            record.state.withUnsafeBytes { state in
                record.watermarkHeader.withUnsafeBytes { header in
                    let value = record.value ?? []
                    value.withUnsafeBytes { bytes in
                        body(
                            InputRecord(
                                input: input, partition: partition, offset: Int64(offset), timestamp: record.timestamp,
                                key: ByteSlice(key), value: record.value == nil ? nil : ByteSlice(bytes),
                                event: record.event, state: ByteSlice(state)),
                            ByteSlice(header))
                    }
                }
            }
        }
    }

    mutating func append(_ output: InMemoryRunner.Output) {
        let record = output.record(offset: Int64(records.count))
        records.append(
            Record(
                key: Array(record.key.buffer), value: record.value.map { Array($0.buffer) },
                timestamp: record.timestamp, event: record.event, state: Array(record.state.buffer),
                watermarkHeader: Array(output.watermarkHeader.buffer)))
    }

    /// Values as text, for readable comparisons.
    var texts: [String] { records.map { $0.value.map { String(decoding: $0, as: UTF8.self) } ?? "null" } }
}

/// Records of a simulated fleet in one partition.
struct SimulatedTraffic {
    var raw = RecordedTopic()
    var trips = RecordedTopic()
    let fleet: FleetSimulation

    static let start = Timestamp(milliseconds: 1_770_000_000_000)

    init(
        drivers: Int, seconds: Double, seed: UInt64, cheaterShare: Double = 0.2,
        start: Timestamp = SimulatedTraffic.start
    ) {
        var configuration = FleetConfiguration(drivers: drivers, seed: seed, start: start)
        configuration.cheaterShare = cheaterShare
        var fleet = FleetSimulation(configuration: configuration)
        var events: [SimulatedEvent] = []
        fleet.advance(to: start.advanced(bySeconds: seconds)) { events.append($0) }
        for event in events {
            switch event {
            case .rawRecord(let record):
                raw.records.append(
                    .init(key: Array(record.key.utf8), value: record.value, timestamp: record.sentAt))
            case .tripMessage(let record):
                trips.records.append(
                    .init(key: Array(record.key.utf8), value: record.value, timestamp: record.sentAt))
            }
        }
        self.fleet = fleet
    }
}
