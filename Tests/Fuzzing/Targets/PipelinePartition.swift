import Bytes
import Pipeline
import Stages
import Tracking

/// One partition of the three stages in memory, each fed by the one before it.
struct PipelinePartition: ~Copyable {
    var at = Scene.start
    private var location: StageRunner
    private var eta: StageRunner
    private var broadcast: StageRunner
    private let outputs: OutputProperties
    private var offsets = (raw: Int64(0), verdicts: Int64(0), trips: Int64(0), etas: Int64(0))

    init(settings: TrackingSettings, outputs: OutputProperties) {
        self.outputs = outputs
        let memory = Scene.memorySeconds
        location = StageRunner(
            layout: LocationStage.layout(settings: settings), stage: LocationStage(partition: 0, settings: settings))
        eta = StageRunner(
            layout: EtaStage.layout(memorySeconds: memory),
            stage: EtaStage(partition: 0, arrival: Scene.arrival, memorySeconds: memory))
        broadcast = StageRunner(
            layout: BroadcastStage.layout(memorySeconds: memory),
            stage: BroadcastStage(partition: 0, settings: BroadcastSettings(), memorySeconds: memory))
        location.finishRestore()
        eta.finishRestore()
        broadcast.finishRestore()
    }

    mutating func takeRaw(key: [UInt8], value: [UInt8]) {
        Self.with(key, value, input: 0, offset: offsets.raw, at: at) { location.process($0) }
        offsets.raw += 1
        location.takeOutputs { output in
            outputs.check(output, of: .location)
            guard output.topic == 0 else { return }
            eta.process(output.record(input: 0, offset: offsets.verdicts))
            offsets.verdicts += 1
        }
        passOn()
    }

    mutating func takeTrip(key: [UInt8], value: [UInt8]?) {
        Self.with(key, value, input: 1, offset: offsets.trips, at: at) { eta.process($0) }
        offsets.trips += 1
        passOn()
    }

    /// A record of the verdict topic that the location worker did not write.
    mutating func takeVerdict(key: [UInt8], value: [UInt8]) {
        Self.with(key, value, input: 0, offset: offsets.verdicts, at: at) { eta.process($0) }
        offsets.verdicts += 1
        passOn()
    }

    private mutating func passOn() {
        eta.takeOutputs { output in
            outputs.check(output, of: .eta)
            guard output.topic == 0 else { return }
            broadcast.process(output.record(offset: offsets.etas))
            offsets.etas += 1
        }
        broadcast.takeOutputs { outputs.check($0, of: .broadcast) }
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
