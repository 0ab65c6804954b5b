import Domain
import EtaWorker
import LocationWorker
import Processing
import Support

/// State headers: a stage takes back whatever stands in one, and then answers ordinary records.
///
/// The first byte chooses the stage, the rest is the header.
final class StateTarget: FuzzTarget {
    static let name = "state"
    private let scene = Scene()
    private let outputs = OutputProperties()
    private let settings = Scene.tracking
    private let room = UnsafeMutableRawBufferPointer.allocate(
        byteCount: DriverState.maximumEncodedByteCount, alignment: 8)

    init() {
        for record in scene.verdicts {
            // A byte before the state says what else there is: in this scene nothing.
            let state = record.state.withUnsafeBytes {
                DriverState(decoding: UnsafeRawBufferPointer(rebasing: $0[1...]))
            }
            hold(record.state[0] != 0 || state != nil, "A state that was written for a fix cannot be read.")
        }
    }

    deinit { room.deallocate() }

    func run(_ input: ByteSlice) {
        guard let start = input.start, input.count > 0 else { return }
        let state = ByteSlice(start: start + 1, count: input.count - 1)
        switch input[0] % 4 {
        case 0: location(state)
        case 1: eta(state, input: 0)
        case 2: eta(state, input: 2)
        default: broadcast(state)
        }
    }

    private func location(_ state: ByteSlice) {
        if state.count > 1 { holdStable(UnsafeRawBufferPointer(rebasing: state.buffer[1...])) }
        var runner = InMemoryRunner(
            layout: LocationProcessor.layout(settings: settings),
            processor: LocationProcessor(partition: 0, settings: settings))
        scene.verdicts[3].with(offset: 3, state: state) { runner.restore($0) }
        runner.finishRestore()
        for offset in 4..<10 { scene.raw[offset].with(offset: Int64(offset)) { runner.process($0) } }
        runner.drainOutputs { outputs.check($0, of: .location) }
    }

    /// A state that can be read is written as it was read.
    private func holdStable(_ bytes: UnsafeRawBufferPointer) {
        guard let state = DriverState(decoding: bytes) else { return }
        let once = Array(UnsafeRawBufferPointer(rebasing: room[..<state.encode(into: room)]))
        guard let again = once.withUnsafeBytes({ DriverState(decoding: $0) }) else {
            return hold(false, "A state that was written cannot be read.")
        }
        hold(room[..<again.encode(into: room)].elementsEqual(once), "A state changed on being written.")
    }

    /// `input` is the output whose record carries the state: arrival times, or learned paces.
    private func eta(_ state: ByteSlice, input: Int) {
        var runner = InMemoryRunner(
            layout: EtaProcessor.layout(memorySeconds: Scene.memorySeconds),
            processor: EtaProcessor(partition: 0, arrival: Scene.arrival, memorySeconds: Scene.memorySeconds))
        if input == 0 {
            scene.etas[4].with(offset: 4, state: state) { runner.restore($0) }
        } else {
            scene.etas[4].with(input: input, offset: 4, state: state) { runner.restoreSideOutput($0) }
            [UInt8]([2, 0, 0, 0, 0, 2]).withUnsafeBytes { end in
                scene.etas[4].with(input: input, offset: 5, state: ByteSlice(end)) { runner.restoreSideOutput($0) }
            }
        }
        runner.finishRestore()
        scene.trips[0].with(input: 1, offset: 0) { runner.process($0) }
        scene.trips[1].with(input: 1, offset: 1) { runner.process($0) }
        for offset in 9..<16 { scene.verdicts[offset].with(offset: Int64(offset)) { runner.process($0) } }
        runner.advanceStreamTime(to: Timestamp(milliseconds: Scene.start.milliseconds + 60_000))
        scene.trips[2].with(input: 1, offset: 2) { runner.process($0) }
        runner.drainOutputs { outputs.check($0, of: .eta) }
    }

    private func broadcast(_ state: ByteSlice) {
        var runner = InMemoryRunner(
            layout: BroadcastProcessor.layout(memorySeconds: Scene.memorySeconds),
            processor: BroadcastProcessor(
                partition: 0, settings: BroadcastSettings(), memorySeconds: Scene.memorySeconds))
        scene.updates[2].with(offset: 2, state: state) { runner.restore($0) }
        runner.finishRestore()
        for (offset, eta) in scene.etas.enumerated() { eta.with(offset: Int64(offset)) { runner.process($0) } }
        runner.drainOutputs { outputs.check($0, of: .broadcast) }
    }
}
