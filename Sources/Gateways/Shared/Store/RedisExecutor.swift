import Dispatch
import Logging
import Model
import Redis
import Runtime
import Synchronization

/// Asks Redis for clients: one thread and one connection, which takes all requests that wait in one round trip.
///
/// While Redis is away, requests are answered with ``StoreUnavailable`` at once, so that no client waits for a store
/// that does not answer; the connection is tried again.
final class RedisExecutor: Sendable {
    struct Request: Sendable {
        let lookup: ChannelLookup
        /// Called on the desk's thread.
        let answer: @Sendable (Result<StoredChannel, StoreUnavailable>) -> Void
    }

    /// Something else to be asked, on the desk's thread; returns whether the connection is still of use.
    private typealias Errand = @Sendable (RedisConnection?) -> Bool

    private struct Waiting {
        var requests: [Request] = []
        var errands: [Errand] = []
        var isEmpty: Bool { requests.isEmpty && errands.isEmpty }
    }

    /// Requests of one round trip at most: their answers lie in memory at once.
    private static let maximumRequests = 64
    private static let failureLogInterval = Duration.seconds(10)

    private let configuration: RedisConfiguration
    private let keyPrefix: String
    private let partitionCount: Atomic<Int>
    private let topic: String?
    private let consequence: String
    private let logger: Logger
    private let control: WorkerControl
    private let presence: GatewayPresence?
    private let waiting = Mutex(Waiting())
    private let loggedFailureAt = Mutex<ContinuousClock.Instant?>(nil)
    private let hasWork = DispatchSemaphore(value: 0)

    /// A desk that asks once it runs.
    ///
    /// `topic`: the full name of the topic of the channels that are read, for how far it is stored; `nil` where none are.
    /// `presence`: announced while the desk runs; `nil` announces nothing.
    /// `consequence`: what cannot be done while Redis is away, for the log, with a full stop.
    init(
        _ configuration: RedisConfiguration, keyPrefix: String, topic: String? = nil,
        presence: GatewayPresence? = nil, consequence: String, logger: Logger, control: WorkerControl
    ) {
        self.configuration = configuration
        self.keyPrefix = keyPrefix
        self.topic = topic
        self.presence = presence
        self.consequence = consequence
        self.logger = logger
        self.control = control
        partitionCount = Atomic(0)
    }

    /// To be told before the first request.
    func setPartitionCount(_ count: Int) { partitionCount.store(count, ordering: .relaxed) }

    /// Asks for a channel; may be called by any thread.
    func read(_ request: Request) {
        waiting.withLock { $0.requests.append(request) }
        hasWork.signal()
    }

    /// Asks for a channel.
    func read(_ lookup: ChannelLookup) async throws(StoreUnavailable) -> StoredChannel {
        let result = await withCheckedContinuation { continuation in
            read(Request(lookup: lookup) { continuation.resume(returning: $0) })
        }
        return try result.get()
    }

    /// Has `body` ask for something else, on the desk's thread.
    func ask<Answer: Sendable>(
        _ body: @escaping @Sendable (RedisConnection) throws -> Answer
    ) async throws(StoreUnavailable) -> Answer {
        let result = await withCheckedContinuation { continuation in
            ask(body) { continuation.resume(returning: $0) }
        }
        return try result.get()
    }

    /// Has `body` ask for something else, and `take` take its answer, both on the desk's thread.
    func ask<Answer: Sendable>(
        _ body: @escaping @Sendable (RedisConnection) throws -> Answer,
        _ take: @escaping @Sendable (Result<Answer, StoreUnavailable>) -> Void
    ) {
        let errand: Errand = { [self] connection in
            guard let connection else {
                take(.failure(StoreUnavailable()))
                return false
            }
            do {
                take(.success(try body(connection)))
                return true
            } catch {
                take(.failure(StoreUnavailable()))
                return isUseful(connection, after: error)
            }
        }
        waiting.withLock { $0.errands.append(errand) }
        hasWork.signal()
    }

    /// Works until told to stop; for a thread of its own.
    func run() {
        var commands = RedisCommands()
        var connection: RedisConnection?
        var backoff = Backoff(shortest: .milliseconds(50), longest: .seconds(2))
        var nextAttempt = ContinuousClock.now
        var presence = presence
        while control.isRunning {
            if connection == nil, ContinuousClock.now >= nextAttempt {
                connection = connect(&backoff)
                nextAttempt = ContinuousClock.now + backoff.next()
                if connection != nil { backoff.reset() }
            }
            if let open = connection, presence?.announce(over: open) == false { connection = nil }
            let work = take()
            guard !work.isEmpty else {
                _ = hasWork.wait(timeout: .now() + .milliseconds(100))
                continue
            }
            if !answer(work, over: connection, &commands) { connection = nil }
        }
        if let connection { presence?.withdraw(over: connection) }
        _ = answer(takeAll(), over: nil, &commands)
    }

    private func take() -> Waiting {
        waiting.withLock { waiting in
            let work = Waiting(
                requests: Array(waiting.requests.prefix(Self.maximumRequests)), errands: waiting.errands)
            waiting.requests.removeFirst(work.requests.count)
            waiting.errands = []
            return work
        }
    }

    private func takeAll() -> Waiting {
        waiting.withLock { waiting in
            defer { waiting = Waiting() }
            return waiting
        }
    }

    private func connect(_ backoff: inout Backoff) -> RedisConnection? {
        do {
            let connection = try RedisConnection(configuration)
            if backoff.attempts > 1 { logger.notice("Redis answers again.") }
            return connection
        } catch {
            if backoff.attempts == 1 {
                logger.warning(
                    "Redis does not answer: \(consequence)", metadata: .of([.error: "\(error)"]))
            }
            return nil
        }
    }

    /// - Returns: whether the connection is still of use.
    private func answer(_ work: Waiting, over connection: RedisConnection?, _ commands: inout RedisCommands) -> Bool {
        var isUseful = connection != nil
        for errand in work.errands { isUseful = errand(isUseful ? connection : nil) && isUseful }
        guard !work.requests.isEmpty else { return isUseful }
        guard let connection, isUseful else {
            for request in work.requests { request.answer(.failure(StoreUnavailable())) }
            return false
        }
        return answer(work.requests, over: connection, &commands)
    }

    /// - Returns: whether the connection is still of use.
    private func answer(
        _ requests: [Request], over connection: RedisConnection, _ commands: inout RedisCommands
    ) -> Bool {
        var answered = 0
        do {
            let progress = try progress(over: connection)
            for request in requests { request.lookup.addCommands(prefix: keyPrefix, to: &commands) }
            try connection.send(&commands)
            for request in requests {
                let result = try channel(request.lookup, over: connection, progress)
                answered += 1
                request.answer(result)
            }
            return true
        } catch {
            commands.removeAll()
            for request in requests[answered...] { request.answer(.failure(StoreUnavailable())) }
            return isUseful(connection, after: error)
        }
    }

    /// What Redis has of a channel; a refusal concerns this channel alone.
    /// - Throws: ``RedisError`` where the connection is of no use any more.
    private func channel(
        _ lookup: ChannelLookup, over connection: RedisConnection, _ progress: [Int32: Int64]
    ) throws -> Result<StoredChannel, StoreUnavailable> {
        do {
            return .success(try lookup.receive(from: connection, progress: progress))
        } catch  where !error.endsConnection {
            log(error)
            return .failure(StoreUnavailable())
        }
    }

    /// Returns whether a connection can be used on after an error, and makes it ready for the next command.
    private func isUseful(_ connection: RedisConnection, after error: any Error) -> Bool {
        log(error)
        if let error = error as? RedisError, error.endsConnection { return false }
        do { try connection.skipAnswers() } catch { return false }
        return true
    }

    private func log(_ error: any Error) {
        let isDue = loggedFailureAt.withLock { last in
            if let last, last.duration(to: .now) < Self.failureLogInterval { return false }
            last = .now
            return true
        }
        if isDue { logger.warning("A request to Redis failed.", metadata: .of([.error: "\(error)"])) }
    }

    /// How far each partition is stored.
    ///
    /// Read before the channels: what they contain afterwards is everything up to there, and perhaps more.
    private func progress(over connection: RedisConnection) throws -> [Int32: Int64] {
        let count = partitionCount.load(ordering: .relaxed)
        guard let topic, count > 0 else { return [:] }
        var commands = RedisCommands(capacity: 4096)
        commands.begin("MGET", arguments: count)
        for partition in 0..<count { commands.add("\(keyPrefix)progress:\(topic):\(partition)") }
        try connection.send(&commands)
        var found: [Int32: Int64] = [:]
        for (partition, reply) in try connection.receive().elements.enumerated() {
            found[Int32(partition)] = reply.text.flatMap { StoredWatermark($0) }?.next
        }
        return found
    }
}
