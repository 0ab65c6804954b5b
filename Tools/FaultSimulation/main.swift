let world = World(seed: 1, trace: Trace(prints: true))
world.run {
    let process = world.start("test") {
        for _ in 0..<3 {
            World.running.runningFiber?.wait(upTo: .seconds(1))
            world.trace.add("tick \(ContinuousClock.now) \(UInt8.random(in: 0...255))")
        }
    }
    world.run(until: .seconds(10)) { process.hasEnded }
}
