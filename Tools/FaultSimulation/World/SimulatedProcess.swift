/// A simulated process: one or more fibers, which can be suspended or killed together.
final class SimulatedProcess {
    let name: String
    unowned let world: World
    private var fibers: [Fiber] = []
    private(set) var isDead = false
    private(set) var isSuspended = false
    /// What happened to the process while it was suspended, in order.
    private var postponed: [() -> Void] = []
    /// Called once when the process is killed.
    var onKill: [() -> Void] = []
    /// Called once when the process sends records to the log, which is when a fault is most interesting.
    var onNextWrite: (() -> Void)?
    private var wallClockOffset: Int64 = 0

    init(_ name: String, _ world: World) {
        self.name = name
        self.world = world
    }

    /// Whether all fibers have ended.
    var hasEnded: Bool { fibers.allSatisfy(\.hasEnded) }

    func startFiber(_ body: @escaping () -> Void) {
        let fiber = Fiber(self, body)
        fibers.append(fiber)
        if isDead { fiber.markDead() }
        fiber.shiftWallClock(by: wallClockOffset)
        fiber.start()
    }

    /// Executes what happens to the process from outside; later if it is suspended.
    func deliver(_ action: @escaping () -> Void) {
        if isSuspended { postponed.append(action) } else { action() }
    }

    /// Reports that the process sends records to the log.
    func handleWrite() {
        let action = onNextWrite
        onNextWrite = nil
        action?()
    }

    /// Stops the process (SIGSTOP) until ``resume()``.
    func suspend() {
        guard !isDead else { return }
        isSuspended = true
        world.trace.add("\(name) is suspended")
    }

    func resume() {
        guard isSuspended else { return }
        world.trace.add("\(name) continues")
        isSuspended = false
        let actions = postponed
        postponed = []
        // Each in an event of its own, because a fiber that continues may be suspended or killed again.
        for action in actions { world.schedule(after: 0) { [self] in deliver(action) } }
    }

    /// Ends the process (SIGKILL): nothing that its fibers still do has an effect.
    func kill() {
        guard !isDead else { return }
        world.trace.add("\(name) is killed")
        resume()
        isDead = true
        let actions = onKill
        onKill = []
        for action in actions { action() }
        for fiber in fibers {
            fiber.markDead()
            fiber.wake()
        }
    }

    func shiftWallClock(by nanoseconds: Int64) {
        wallClockOffset += nanoseconds
        for fiber in fibers { fiber.shiftWallClock(by: nanoseconds) }
    }
}
