import CFaultSimulation

/// A thread of a simulated process.
final class Fiber {
    unowned let process: SimulatedProcess
    private var handle: OpaquePointer?
    private let body: () -> Void
    /// Number of the current wait; a wake-up for an earlier one has no effect.
    private var waitNumber = 0
    private var isWaiting = true
    private(set) var hasEnded = false

    init(_ process: SimulatedProcess, _ body: @escaping () -> Void) {
        self.process = process
        self.body = body
        handle = sl_fiber_create(
            { argument in
                guard let argument else { return nil }
                Unmanaged<Fiber>.fromOpaque(argument).takeUnretainedValue().body()
                return nil
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Runs the fiber until its next wait; called by the scheduler.
    func run() {
        isWaiting = false
        hasEnded = sl_fiber_resume(handle)
        if hasEnded { handle = nil }
    }

    /// Schedules the first run.
    func start() { resume(waitNumber, after: 0) }

    /// Waits until ``wake(after:)`` is called, or up to `nanoseconds`; called on this fiber.
    func wait(upTo nanoseconds: Int64?) {
        waitNumber += 1
        isWaiting = true
        // A killed process does not wait, so that it ends.
        if process.isDead {
            resume(waitNumber, after: 0)
        } else if let nanoseconds {
            resume(waitNumber, after: nanoseconds)
        }
        sl_fiber_yield()
    }

    /// Ends the current wait, if there is one, after a delay in nanoseconds.
    func wake(after delay: Int64 = 0) {
        if isWaiting, !hasEnded { resume(waitNumber, after: delay) }
    }

    private func resume(_ number: Int, after delay: Int64) {
        process.world.schedule(after: delay) { [self] in
            process.deliver { [self] in
                if isWaiting, !hasEnded, waitNumber == number { process.world.resume(self) }
            }
        }
    }

    func markDead() {
        if let handle { sl_fiber_kill(handle) }
    }

    func shiftWallClock(by nanoseconds: Int64) {
        if let handle { sl_fiber_shift_wall_clock(handle, nanoseconds) }
    }
}
