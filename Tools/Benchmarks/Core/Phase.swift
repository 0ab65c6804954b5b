import ArgumentParser
import Processors
import Codec
import Domain
import Processing

/// A part of the core that is measured separately.
enum Phase: String, CaseIterable, ExpressibleByArgument {
    case decode, judge, encode, location, eta, broadcast

    /// Returns a function that processes a range of records; its state persists between calls.
    func work(on traffic: CoreTraffic) -> (Range<Int>) -> Void {
        switch self {
        case .decode: Self.decode(traffic)
        case .judge: Self.judge(traffic)
        case .encode: Self.encode(traffic)
        case .location: Self.location(traffic)
        case .eta: Self.eta(traffic)
        case .broadcast: Self.broadcast(traffic)
        }
    }

    private static func decode(_ traffic: CoreTraffic) -> (Range<Int>) -> Void {
        let reader = RawRecordReader()
        return { range in
            for index in range {
                traffic.raw[index].asInput(offset: Int64(index)) { _ = reader.read(key: $0.key, value: $0.value) }
            }
        }
    }

    private static func judge(_ traffic: CoreTraffic) -> (Range<Int>) -> Void {
        let reader = RawRecordReader()
        let fixes = traffic.raw.indices.map { index -> Fix in
            var fix: Fix?
            traffic.raw[index].asInput(offset: 0) { record in
                _ = reader.read(key: record.key, value: record.value)
                fix = reader.fixes.first?.fix
            }
            guard let fix else { preconditionFailure("A raw record of the load is unreadable.") }
            return fix
        }
        let detector = SpoofDetector(settings: TrackingSettings())
        var states = ContiguousArray(repeating: DriverState(), count: traffic.drivers)
        var tracks = TrackMemory(detector.settings.replay)
        return { range in
            for index in range {
                let at = traffic.raw[index].at
                _ = detector.evaluate(
                    fixes[index], receivedAt: at, streamTime: at, state: &states[index % traffic.drivers],
                    tracks: &tracks
                )
            }
        }
    }

    private static func encode(_ traffic: CoreTraffic) -> (Range<Int>) -> Void {
        let reader = RawRecordReader()
        let detector = SpoofDetector(settings: TrackingSettings())
        var state = DriverState()
        var tracks = TrackMemory(detector.settings.replay)
        var written: (RawFix, VerdictResult)?
        traffic.raw[0].asInput(offset: 0) { record in
            _ = reader.read(key: record.key, value: record.value)
            guard let raw = reader.fixes.first else { return }
            let result = detector.evaluate(
                raw.fix, receivedAt: record.timestamp, streamTime: record.timestamp, state: &state, tracks: &tracks)
            written = (raw, result)
        }
        guard let (fix, result) = written else { preconditionFailure("A raw record of the load is unreadable.") }
        let batch = OutputBatchBox()
        return { range in
            // The reader owns the memory of the fix's texts.
            withExtendedLifetime(reader) {
                for index in range {
                    traffic.raw[index].asInput(offset: Int64(index)) { record in
                        batch.write(record, fix, result, EventID(partition: 0, offset: record.offset))
                    }
                }
            }
        }
    }

    private static func location(_ traffic: CoreTraffic) -> (Range<Int>) -> Void {
        let settings = TrackingSettings()
        let runner = PartitionBox(
            LocationProcessor.layout(settings: settings), LocationProcessor(partition: 0, settings: settings))
        return { range in runner.process(traffic.raw, range) }
    }

    private static func eta(_ traffic: CoreTraffic) -> (Range<Int>) -> Void {
        let verdicts = traffic.verdicts
        let memory = TrackingSettings().memorySeconds
        let runner = PartitionBox(
            EtaProcessor.layout(memorySeconds: memory),
            EtaProcessor(partition: 0, arrival: ArrivalSettings(), memorySeconds: memory))
        runner.process(traffic.trips, traffic.trips.indices, input: 1)
        return { range in runner.process(verdicts, range) }
    }

    private static func broadcast(_ traffic: CoreTraffic) -> (Range<Int>) -> Void {
        let etas = traffic.etas
        let runner = PartitionBox(
            BroadcastProcessor.layout(memorySeconds: 300),
            BroadcastProcessor(partition: 0, settings: BroadcastSettings(), memorySeconds: 300))
        return { range in
            let share = Double(etas.count) / Double(traffic.raw.count)
            runner.process(etas, Int(Double(range.lowerBound) * share)..<Int(Double(range.upperBound) * share))
        }
    }
}

/// One partition of a processor, called as in a worker.
private final class PartitionBox {
    private let partition: PartitionProcessor
    private var outputs: SequencedOutputs

    init(_ layout: ProcessorLayout, _ processor: any Processor) {
        partition = PartitionProcessor(layout: layout, partition: 0, processor: processor)
        outputs = SequencedOutputs(inputs: layout.inputs.count)
        partition.finishRestore(into: &outputs)
    }

    /// Processes records and discards the outputs in batches.
    func process(_ records: [CoreTraffic.Record], _ range: Range<Int>, input: Int = 0) {
        for index in range {
            records[index].asInput(input: input, offset: Int64(index)) {
                partition.process($0, source: 0, into: &outputs)
            }
            if index % 4096 == 0 { outputs.removeAll() }
        }
        outputs.removeAll()
    }
}

/// A reused buffer into which verdicts are written.
private final class OutputBatchBox {
    private var outputs = OutputBatch(capacity: 1 << 20)
    private var count = 0

    func write(_ record: InputRecord, _ fix: RawFix, _ result: VerdictResult, _ event: EventID) {
        outputs.begin(topic: 0, event: event, timestamp: record.timestamp, key: record.key)
        outputs.writeValue {
            VerdictWriter.write(
                event: event, driverID: record.key, raw: fix, result: result, receivedAt: record.timestamp,
                into: &$0)
        }
        count += 1
        if count % 4096 == 0 { outputs.removeAll() }
    }
}
