/// Something that fibers wait for.
final class Signal {
    private var waiting: [Fiber] = []

    /// Waits for ``notify()``, up to `nanoseconds`; called on a fiber.
    func wait(upTo nanoseconds: Int64?) {
        guard let fiber = World.running.runningFiber else { preconditionFailure("Only a fiber can wait.") }
        waiting.append(fiber)
        fiber.wait(upTo: nanoseconds)
        waiting.removeAll { $0 === fiber }
    }

    /// Waits until `condition` holds, up to `nanoseconds`, or until the process is killed.
    /// - Returns: whether the condition holds.
    @discardableResult
    func wait(upTo nanoseconds: Int64?, until condition: () -> Bool) -> Bool {
        let world = World.running
        let end = nanoseconds.map { world.now + $0 }
        while !condition() {
            if world.runningProcess.isDead { return false }
            if let end, world.now >= end { return false }
            wait(upTo: end.map { $0 - world.now })
        }
        return true
    }

    func notify() {
        for fiber in waiting { fiber.wake() }
    }
}
