@testable import Domain
@testable import Processors
@testable import Processing
@testable import SightlineCLI
@testable import Simulation
@testable import Support

/// The figures of a demo, for a simulated fleet and the location processor in memory.
struct OfflineDemo {
    private(set) var figures = DemoFigures()
    let fleet: FleetSimulation

    /// Processes the records that the fleet sends in `seconds`, in two partitions by driver.
    init(_ configuration: FleetConfiguration, seconds: Double) {
        var fleet = FleetSimulation(configuration: configuration)
        var records: [SimulatedEvent.RawRecord] = []
        fleet.advance(to: configuration.start.advanced(bySeconds: seconds)) { event in
            if case .rawRecord(let record) = event { records.append(record) }
        }
        self.fleet = fleet
        figures.spoofing.expect(fleet.drivers)
        for partition in Int32(0)..<2 {
            process(records.filter { Self.partition(of: $0.key) == partition }, partition: partition)
        }
    }

    var report: DemoReport {
        DemoReport(
            figures: figures, drivers: fleet.drivers, trips: fleet.trips,
            audit: AuditReport(partitions: [0, 1], checks: [], recordsRead: 0), isLive: false)
    }

    private static func partition(of key: String) -> Int32 { Int32(key.utf8.reduce(0) { $0 &+ Int($1) } % 2) }

    private mutating func process(_ records: [SimulatedEvent.RawRecord], partition: Int32) {
        let settings = TrackingSettings()
        var runner = InMemoryRunner(
            layout: LocationProcessor.layout(settings: settings), partition: partition,
            processor: LocationProcessor(partition: partition, settings: settings))
        runner.finishRestore()
        let reader = DemoReader()
        let inputs = [PipelineTopic.locations, .locationsDeadLetter, .warnings].map {
            DemoReader.topics.firstIndex(of: $0) ?? 0
        }
        for (offset, record) in records.enumerated() {
            if !record.isRepeat { for fix in record.fixes { figures.expect(fix) } }
            ByteSlice.withBytes(of: record.key) { key in
                record.value.withUnsafeBytes { value in
                    let input = InputRecord(
                        input: 0, partition: partition, offset: Int64(offset), timestamp: record.sentAt, key: key,
                        value: ByteSlice(value))
                    reader.add(input, seenAt: record.sentAt, to: &figures)
                    runner.process(input)
                }
            }
            runner.drainOutputs { output in
                guard inputs.indices.contains(output.topic) else { return }
                reader.add(
                    output.record(input: inputs[output.topic], offset: 0), seenAt: record.sentAt, to: &figures)
            }
        }
    }
}
