import Domain
import Processing
import Support

/// Fuzz target for state headers: a processor restores any header, then processes ordinary records.
///
/// The first byte selects the processor; the rest is the header.
final class StateTarget: FuzzTarget {
    static let name = "state"
    private let scene = Scene()
    private let outputs = OutputProperties()
    private let buffer = UnsafeMutableRawBufferPointer.allocate(
        byteCount: DriverState.maximumEncodedByteCount, alignment: 8)

    init() {
        for record in scene.verdicts {
            // The first byte contains flags of other parts of the header; the driver's state follows if it is 0.
            let state = record.state.withUnsafeBytes {
                DriverState(decoding: UnsafeRawBufferPointer(rebasing: $0[1...]))
            }
            expect(record.state[0] != 0 || state != nil, "A written state is unreadable.")
        }
    }

    deinit { buffer.deallocate() }

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
        if state.count > 1 { expectStable(UnsafeRawBufferPointer(rebasing: state.buffer[1...])) }
        var runner = Scene.locationRunner()
        scene.verdicts[3].with(offset: 3, state: state) { runner.restore($0) }
        runner.finishRestore()
        for offset in 4..<10 { scene.raw[offset].with(offset: Int64(offset)) { runner.process($0) } }
        runner.drainOutputs { outputs.check($0, of: .location) }
    }

    /// Expects that encoding a readable state, decoding it and encoding it again gives the same bytes.
    private func expectStable(_ bytes: UnsafeRawBufferPointer) {
        guard let state = DriverState(decoding: bytes) else { return }
        let once = Array(UnsafeRawBufferPointer(rebasing: buffer[..<state.encode(into: buffer)]))
        guard let again = once.withUnsafeBytes({ DriverState(decoding: $0) }) else {
            fail("A written state is unreadable.")
        }
        expect(buffer[..<again.encode(into: buffer)].elementsEqual(once), "A round trip changes a state.")
    }

    /// Restores the state from output `input`: 0 for arrival times, 2 for learned road speeds.
    private func eta(_ state: ByteSlice, input: Int) {
        var runner = Scene.etaRunner()
        if input == 0 {
            scene.etas[4].with(offset: 4, state: state) { runner.restore($0) }
        } else {
            scene.etas[4].with(input: input, offset: 4, state: state) { runner.restoreSideOutput($0) }
            [UInt8]([1, 0, 0, 0, 0, 2]).withUnsafeBytes { end in
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
        var runner = Scene.broadcastRunner()
        scene.updates[2].with(offset: 2, state: state) { runner.restore($0) }
        runner.finishRestore()
        for (offset, eta) in scene.etas.enumerated() { eta.with(offset: Int64(offset)) { runner.process($0) } }
        runner.drainOutputs { outputs.check($0, of: .broadcast) }
    }
}
