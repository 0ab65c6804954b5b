/// The network between one process and one service.
final class Link {
    enum State {
        case up
        /// Connections break, and new ones are refused.
        case cut
        /// Nothing is delivered, and connections stay open.
        case silent
    }

    private(set) var state = State.up
    fileprivate var connections: [Connection] = []
    /// Called when packets pass again.
    private var held: [() -> Void] = []

    func cut() {
        state = .cut
        let broken = connections
        connections = []
        for connection in broken { connection.breakOff() }
        passHeld()
    }

    func silence() { state = .silent }

    func restore() {
        state = .up
        passHeld()
    }

    private func passHeld() {
        let actions = held
        held = []
        for action in actions { action() }
    }

    /// Executes `action` now, or when the link is no longer silent.
    fileprivate func pass(_ action: @escaping () -> Void) {
        if state == .silent { held.append(action) } else { action() }
    }
}

/// A connection (TCP) of a process to a service: ordered in each direction, and it can break at any time.
///
/// When it breaks, ``onBreak`` is called at once. What the process has sent before may still arrive at the service.
final class Connection {
    let process: SimulatedProcess
    private let link: Link
    private let world: World
    private(set) var isOpen = true
    /// Called in the process when the connection breaks, but not after ``close()``.
    var onBreak: (() -> Void)?
    /// Called in the service when the connection has ended.
    var onEnd: (() -> Void)?
    private var toServerTime: Int64 = 0
    private var toClientTime: Int64 = 0
    /// Messages to the service that were sent after this number are lost.
    private var lastDelivered = Int.max
    private var sentCount = 0
    private var arrivedCount = 0
    /// Responses after this number are lost.
    private var lastResponse = Int.max
    private var responseCount = 0
    private var deliveredCount = 0
    /// Whether the service has closed its end; nothing arrives there afterwards.
    private var hasEnded = false

    /// Connects; `nil` if the link is cut.
    init?(_ process: SimulatedProcess, over link: Link) {
        guard link.state != .cut, !process.isDead else { return nil }
        self.process = process
        self.link = link
        world = process.world
        link.connections.append(self)
        process.onKill.append { [weak self] in self?.breakOff() }
    }

    /// Executes `action` in the service when the message has arrived.
    func send(_ action: @escaping () -> Void) {
        guard isOpen else { return }
        sentCount += 1
        let number = sentCount
        toServerTime = max(toServerTime, world.now + world.latency())
        world.schedule(after: toServerTime - world.now) { [self] in
            link.pass { [self] in
                guard number <= lastDelivered, !hasEnded else { return }
                arrivedCount = number
                action()
            }
        }
    }

    /// Executes `action` in the process when the response has arrived; never if the connection breaks before.
    func respond(_ action: @escaping () -> Void) {
        responseCount += 1
        let number = responseCount
        toClient { [self] in
            guard number <= lastResponse, !process.isDead else { return }
            deliveredCount = number
            action()
        }
    }

    /// Executes `action` in the process after the responses sent before, if the connection is still open.
    private func toClient(_ action: @escaping () -> Void) {
        toClientTime = max(toClientTime, world.now + world.latency())
        world.schedule(after: toClientTime - world.now) { [self] in
            link.pass { [self] in
                process.deliver { [self] in
                    if isOpen { action() }
                }
            }
        }
    }

    /// Closes the connection in order: the service receives everything sent before.
    func close() {
        guard isOpen else { return }
        isOpen = false
        link.connections.removeAll { $0 === self }
        toServerTime = max(toServerTime, world.now + world.latency())
        endInService()
    }

    /// Breaks the connection from the process's side, without ``onBreak``.
    func abort() {
        onBreak = nil
        breakOff()
    }

    /// Breaks the connection in the service, without ``onEnd``.
    ///
    /// Nothing arrives at the service any more. A random number of the responses on their way still arrives, and then
    /// the process receives the end.
    func reset() {
        guard !hasEnded else { return }
        hasEnded = true
        lastResponse = deliveredCount + world.random.index(below: responseCount - deliveredCount + 1)
        toClient { [self] in breakOff() }
    }

    /// Breaks the connection: a random number of the messages on their way still arrives.
    fileprivate func breakOff() {
        guard isOpen else { return }
        isOpen = false
        link.connections.removeAll { $0 === self }
        lastDelivered = arrivedCount + world.random.index(below: sentCount - arrivedCount + 1)
        endInService()
        process.deliver { [self] in
            if !process.isDead { onBreak?() }
        }
    }

    /// Ends the connection in the service after the messages that still arrive, unless the link is silent.
    private func endInService() {
        world.schedule(after: toServerTime - world.now) { [self] in
            link.pass { [self] in
                guard !hasEnded else { return }
                hasEnded = true
                onEnd?()
            }
        }
    }
}

extension World {
    /// Draws the latency of one message, in nanoseconds: mostly below a millisecond, sometimes much longer.
    func latency() -> Int64 {
        let usual = 100_000 + Int64(random.exponential(mean: 200_000))
        return random.chance(0.01) ? usual + Int64(random.exponential(mean: 20_000_000)) : usual
    }
}
