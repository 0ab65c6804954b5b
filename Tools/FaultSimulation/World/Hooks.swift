import CFaultSimulation

/// Calls of the C library by fibers.
enum Hooks {
    static func install() {
        sl_set_hooks(
            sl_hooks(
                sleep: { World.running.runningFiber?.wait(upTo: $0) },
                start_thread: { entry, argument in
                    // Safe, because only one fiber runs at a time.
                    nonisolated(unsafe) let argument = argument
                    World.running.runningProcess.startFiber { _ = entry?(argument) }
                },
                random: { bytes, count in
                    guard let bytes else { return }
                    for index in 0..<count {
                        bytes.storeBytes(
                            of: UInt8(truncatingIfNeeded: World.running.random.next() >> 32), toByteOffset: index,
                            as: UInt8.self)
                    }
                },
                poll: { SimulatedSockets.wait(on: $0, for: $1, milliseconds: $2) },
                send: { SimulatedSockets.send(UnsafeRawBufferPointer(start: $1, count: $2), to: $0) }))
    }
}
