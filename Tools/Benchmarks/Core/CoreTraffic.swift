import Codec
import Domain
import EtaWorker
import LocationWorker
import Processing
import Simulation
import Support

/// Records of a fleet in memory, in the order in which they would come.
final class CoreTraffic {
    /// A record of some topic.
    struct Record {
        var key: [UInt8]
        var value: [UInt8]
        var header: [UInt8] = []
        var at: Timestamp
    }

    let drivers: Int
    let start = Timestamp(milliseconds: 1_768_471_200_000)
    /// Raw records; the first half warms up.
    let raw: [Record]
    let warmUp: Range<Int>
    let measured: Range<Int>
    let trips: [Record]
    /// What the location stage makes of ``raw``, one for one.
    lazy var verdicts: [Record] = runLocation()
    /// What the eta stage makes of ``verdicts``.
    lazy var etas: [Record] = runEta()

    init(drivers: Int, rounds: Int) {
        self.drivers = drivers
        var fleet = LoadFleet(drivers: drivers, start: start)
        let names = (0..<drivers).map { Array(fleet.driverID($0).utf8) }
        trips = (0..<drivers).map { driver in
            var writer = ByteWriter(capacity: 4096)
            TripWriter.write(fleet.trip(of: driver), into: &writer)
            return Record(
                key: names[driver], value: Array(writer.bytes.buffer),
                at: Timestamp(milliseconds: 1_768_471_200_000))
        }
        raw = (0..<2 * drivers * rounds).map { _ in
            let record = fleet.next()
            return Record(key: names[record.driver], value: record.value, at: record.at)
        }
        warmUp = 0..<raw.count / 2
        measured = raw.count / 2..<raw.count
    }

    private func runLocation() -> [Record] {
        let settings = TrackingSettings()
        var runner = InMemoryRunner(
            layout: LocationProcessor.layout(settings: settings),
            processor: LocationProcessor(partition: 0, settings: settings))
        runner.finishRestore()
        var verdicts: [Record] = []
        verdicts.reserveCapacity(raw.count)
        for (index, record) in raw.enumerated() {
            record.asInput(offset: Int64(index)) { runner.process($0) }
            runner.drainOutputs { output in
                guard output.topic == 0 else { return }
                verdicts.append(Record(output))
            }
        }
        precondition(verdicts.count == raw.count, "Every raw record of the load has a verdict.")
        return verdicts
    }

    private func runEta() -> [Record] {
        let memory = TrackingSettings().memorySeconds
        var runner = InMemoryRunner(
            layout: EtaProcessor.layout(memorySeconds: memory),
            processor: EtaProcessor(partition: 0, arrival: ArrivalSettings(), memorySeconds: memory))
        runner.finishRestore()
        for (index, trip) in trips.enumerated() {
            trip.asInput(input: 1, offset: Int64(index)) { runner.process($0) }
        }
        runner.drainOutputs { _ in }
        var etas: [Record] = []
        for (index, record) in verdicts.enumerated() {
            record.asInput(offset: Int64(index)) { runner.process($0) }
            runner.drainOutputs { output in
                guard output.topic == 0 else { return }
                etas.append(Record(output))
            }
        }
        return etas
    }
}

extension CoreTraffic.Record {
    init(_ output: InMemoryRunner.Output) {
        self.init(
            key: Array(output.key.buffer), value: output.value.map { Array($0.buffer) } ?? [],
            header: Array(output.watermarkHeader.buffer), at: output.timestamp)
    }

    /// Lends the record as an input of a stage.
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
