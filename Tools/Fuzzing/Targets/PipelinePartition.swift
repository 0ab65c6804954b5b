import Domain
import EtaWorker
import LocationWorker
import Processing
import Support

/// One partition of the three stages in memory, each fed by the one before it.
struct PipelinePartition: ~Copyable {
    var at = Scene.start
    private var location: InMemoryRunner
    private var eta: InMemoryRunner
    private var broadcast: InMemoryRunner
    private let outputs: OutputProperties
    /// Bytes of all trip messages so far.
    private var tripBytes = 0
    private var offsets = (raw: Int64(0), verdicts: Int64(0), trips: Int64(0), etas: Int64(0))

    init(settings: TrackingSettings, outputs: OutputProperties) {
        self.outputs = outputs
        let memory = Scene.memorySeconds
        location = InMemoryRunner(
            layout: LocationProcessor.layout(settings: settings),
            processor: LocationProcessor(partition: 0, settings: settings))
        eta = InMemoryRunner(
            layout: EtaProcessor.layout(memorySeconds: memory),
            processor: EtaProcessor(partition: 0, arrival: Scene.arrival, memorySeconds: memory))
        broadcast = InMemoryRunner(
            layout: BroadcastProcessor.layout(memorySeconds: memory),
            processor: BroadcastProcessor(partition: 0, settings: BroadcastSettings(), memorySeconds: memory))
        location.finishRestore()
        eta.finishRestore()
        broadcast.finishRestore()
    }

    mutating func takeRaw(key: [UInt8], value: [UInt8]) {
        Self.with(key, value, input: 0, offset: offsets.raw, at: at) { location.process($0) }
        offsets.raw += 1
        var written = 0
        location.drainOutputs { output in
            outputs.check(output, of: .location)
            written += output.byteCount
            guard output.topic == 0 else { return }
            eta.process(output.record(input: 0, offset: offsets.verdicts))
            offsets.verdicts += 1
        }
        outputs.checkCost(written, given: key.count + value.count, of: .location)
        passOn(given: written)
    }

    mutating func takeTrip(key: [UInt8], value: [UInt8]?) {
        Self.with(key, value, input: 1, offset: offsets.trips, at: at) { eta.process($0) }
        offsets.trips += 1
        tripBytes += value?.count ?? 0
        passOn(given: key.count + (value?.count ?? 0))
    }

    /// A record of the verdict topic that the location worker did not write.
    mutating func takeVerdict(key: [UInt8], value: [UInt8]) {
        Self.with(key, value, input: 0, offset: offsets.verdicts, at: at) { eta.process($0) }
        offsets.verdicts += 1
        passOn(given: key.count + value.count)
    }

    /// `given`: bytes of the records that the eta stage was given.
    private mutating func passOn(given: Int) {
        var etaBytes = 0
        eta.drainOutputs { output in
            outputs.check(output, of: .eta)
            etaBytes += output.byteCount
            guard output.topic == 0 else { return }
            broadcast.process(output.record(offset: offsets.etas))
            offsets.etas += 1
        }
        // Up to eight punctuations before a record tell of every trip again.
        outputs.checkCost(etaBytes, given: given + 10 * tripBytes, of: .eta)
        var updateBytes = 0
        broadcast.drainOutputs { output in
            outputs.check(output, of: .broadcast)
            updateBytes += output.byteCount
        }
        outputs.checkCost(updateBytes, given: etaBytes, of: .broadcast)
    }

    private static func with(
        _ key: [UInt8], _ value: [UInt8]?, input: Int, offset: Int64, at time: Timestamp, _ body: (InputRecord) -> Void
    ) {
        key.withUnsafeBytes { key in
            (value ?? []).withUnsafeBytes { bytes in
                body(
                    InputRecord(
                        input: input, partition: 0, offset: offset, timestamp: time, key: ByteSlice(key),
                        value: value == nil ? nil : ByteSlice(bytes)))
            }
        }
    }
}
