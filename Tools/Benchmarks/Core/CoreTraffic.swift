import Codec
import Domain
import Processors
import Processing
import Simulation
import Support

/// The records of a fleet in memory, in the order of receipt.
final class CoreTraffic {
    /// A record of any topic.
    struct Record {
        var key: [UInt8]
        var value: [UInt8]
        var header: [UInt8] = []
        var at: Timestamp
    }

    let drivers: Int
    private static let start = Timestamp(milliseconds: 1_768_471_200_000)
    /// Raw records; the first half is for the warm-up.
    let raw: [Record]
    let warmUp: Range<Int>
    let measured: Range<Int>
    let trips: [Record]
    /// Verdicts on ``raw``, one per record.
    lazy var verdicts: [Record] = runLocation()
    /// Arrival times for ``verdicts``.
    lazy var etas: [Record] = runEta()

    init(drivers: Int, rounds: Int) {
        self.drivers = drivers
        var fleet = LoadFleet(drivers: drivers, start: Self.start)
        let keys = (0..<drivers).map { Array(fleet.driverID($0).utf8) }
        trips = (0..<drivers).map { driver in
            var writer = ByteWriter(capacity: 4096)
            TripWriter.write(fleet.trip(of: driver), into: &writer)
            return Record(key: keys[driver], value: Array(writer.bytes.buffer), at: Self.start)
        }
        raw = (0..<2 * drivers * rounds).map { _ in
            let record = fleet.next()
            return Record(key: keys[record.driver], value: record.value, at: record.at)
        }
        warmUp = 0..<raw.count / 2
        measured = raw.count / 2..<raw.count
    }

    private func runLocation() -> [Record] {
        let settings = TrackingSettings()
        let verdicts = Self.run(
            LocationProcessor.layout(settings: settings), LocationProcessor(partition: 0, settings: settings), on: raw)
        precondition(verdicts.count == raw.count, "A raw record of the load has no verdict.")
        return verdicts
    }

    private func runEta() -> [Record] {
        let memory = TrackingSettings().memorySeconds
        return Self.run(
            EtaProcessor.layout(memorySeconds: memory),
            EtaProcessor(partition: 0, arrival: ArrivalSettings(), memorySeconds: memory), trips: trips, on: verdicts)
    }

    /// Returns a processor's outputs to its first topic for `records`, after it has processed `trips`.
    private static func run(
        _ layout: ProcessorLayout, _ processor: any Processor, trips: [Record] = [], on records: [Record]
    ) -> [Record] {
        var runner = InMemoryRunner(layout: layout, processor: processor)
        runner.finishRestore()
        for (index, trip) in trips.enumerated() {
            trip.asInput(input: 1, offset: Int64(index)) { runner.process($0) }
        }
        runner.drainOutputs { _ in }
        var outputs: [Record] = []
        outputs.reserveCapacity(records.count)
        for (index, record) in records.enumerated() {
            record.asInput(offset: Int64(index)) { runner.process($0) }
            runner.drainOutputs { if $0.topic == 0 { outputs.append(Record($0)) } }
        }
        return outputs
    }
}

extension CoreTraffic.Record {
    init(_ output: InMemoryRunner.Output) {
        self.init(
            key: Array(output.key.buffer), value: output.value.map { Array($0.buffer) } ?? [],
            header: Array(output.watermarkHeader.buffer), at: output.timestamp)
    }

    /// Calls `body` with the record as an input of a processor.
    func asInput(input: Int = 0, offset: Int64, _ body: (InputRecord) -> Void) {
        key.withUnsafeBytes { key in
            value.withUnsafeBytes { value in
                header.withUnsafeBytes { header in
                    body(
                        InputRecord(
                            input: input, partition: 0, offset: offset, timestamp: at, key: ByteSlice(key),
                            value: ByteSlice(value),
                            event: header.isEmpty ? nil : WatermarkHeader.event(of: ByteSlice(header)), state: .empty))
                }
            }
        }
    }
}
