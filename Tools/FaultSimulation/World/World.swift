import CFaultSimulation
import HeapModule
import Simulation

/// The world of the running simulation; one exists at a time.
///
/// C callbacks have no context, so they find it here. Safe, because only one fiber, or the scheduler, runs at a time.
nonisolated(unsafe) private var current: World?

/// Virtual time, the event queue, the random source and the trace of one simulation.
///
/// Everything runs on one thread at a time: either the scheduler executes an event, or a fiber runs until it waits. Time
/// advances from event to event, so that a run depends only on its seed.
final class World {
    /// The world of the running simulation.
    static var running: World {
        guard let current else { preconditionFailure("No simulation is running.") }
        return current
    }

    let seed: UInt64
    var random: RandomSource
    let trace: Trace
    private(set) lazy var log = SimulatedLog(self)
    private(set) lazy var postgres = SimulatedPostgres(self)
    private(set) lazy var redis = SimulatedRedis(self)
    private var events = Heap<Event>()
    private var eventCount = 0
    private(set) var processes: [SimulatedProcess] = []
    /// The fiber that is running; `nil` while the scheduler executes an event.
    private(set) var runningFiber: Fiber?

    init(seed: UInt64, trace: Trace) {
        self.seed = seed
        random = RandomSource(seed: seed)
        self.trace = trace
    }

    /// Virtual time in nanoseconds since the beginning of the simulation.
    var now: Int64 { sl_clock_read() }

    /// Unix time in milliseconds, without the shifted clocks of single processes.
    var wallMilliseconds: Int64 { sl_start_milliseconds + now / 1_000_000 }

    /// Makes this the running world while `body` runs.
    func run<Result>(_ body: () throws -> Result) rethrows -> Result {
        precondition(current == nil, "A simulation is running already.")
        current = self
        sl_clock_set(0)
        Hooks.install()
        defer {
            sl_clock_set(-1)
            current = nil
            SimulatedSockets.removeAll()
        }
        return try body()
    }

    /// Executes `action` after a delay in nanoseconds, on the scheduler; it must not wait.
    func schedule(after delay: Int64, _ action: @escaping () -> Void) {
        eventCount += 1
        events.insert(Event(time: now + max(0, delay), number: eventCount, action: action))
    }

    /// Executes events until `condition` holds, or virtual time has reached `end`.
    /// - Returns: whether the condition holds.
    @discardableResult
    func run(until end: Int64, _ condition: () -> Bool = { false }) -> Bool {
        while !condition() {
            guard let next = events.max, next.time <= end else {
                sl_clock_set(max(now, end))
                return condition()
            }
            events.removeMax()
            sl_clock_set(max(now, next.time))
            next.action()
        }
        return true
    }

    /// Starts a process whose main fiber runs `body`.
    func start(_ name: String, _ body: @escaping () -> Void) -> SimulatedProcess {
        let process = SimulatedProcess(name, self)
        processes.append(process)
        process.startFiber(body)
        return process
    }

    func resume(_ fiber: Fiber) {
        precondition(runningFiber == nil, "A fiber cannot resume another one.")
        runningFiber = fiber
        fiber.run()
        runningFiber = nil
    }

    /// The process of the running fiber.
    var runningProcess: SimulatedProcess {
        guard let runningFiber else { preconditionFailure("Only a process can call this function.") }
        return runningFiber.process
    }
}

extension World {
    private struct Event: Comparable {
        let time: Int64
        /// Events of the same time are executed in the order in which they were scheduled.
        let number: Int
        let action: () -> Void

        // The heap's maximum is the next event.
        static func < (left: Event, right: Event) -> Bool { (left.time, left.number) > (right.time, right.number) }
        static func == (left: Event, right: Event) -> Bool { left.number == right.number }
    }
}

extension Int64 {
    static func milliseconds(_ count: Int) -> Int64 { Int64(count) * 1_000_000 }
    static func seconds(_ count: Int) -> Int64 { Int64(count) * 1_000_000_000 }
}
