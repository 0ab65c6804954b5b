import Dispatch
import Gateways
import Logging
import Pipeline
import Redis
import Streaming
import Synchronization
import Telemetry

/// Asks Redis for clients: one thread and one connection, which takes all requests that wait in one round trip.
///
/// While Redis is away, requests are answered with ``StoreUnavailable`` at once, so that no client waits for a store
/// that does not answer; the connection is tried again.
final class RedisDesk: Sendable {
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

    private let configuration: RedisConfiguration
    private let keyPrefix: String
    private let partitionCount: Atomic<Int>
    private let topic: String?
    private let consequence: String
    private let logger: Logger
    private let control: WorkerControl
    private let waiting = Mutex(Waiting())
    private let hasWork = DispatchSemaphore(value: 0)

    /// A desk that asks once it runs.
    ///
    /// `topic`: the full name of the topic of the channels that are read, for how far it is stored; `nil` where none are.
    /// `consequence`: what cannot be done while Redis is away, for the log, with a full stop.
    init(
        _ configuration: RedisConfiguration, keyPrefix: String, topic: String? = nil, consequence: String,
        logger: Logger, control: WorkerControl
    ) {
        self.configuration = configuration
        self.keyPrefix = keyPrefix
        self.topic = topic
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
        let errand: Errand = { [logger] connection in
            guard let connection else {
                take(.failure(StoreUnavailable()))
                return false
            }
            do {
                take(.success(try body(connection)))
                return true
            } catch {
                logger.warning("A request to Redis failed.", metadata: .of([.error: "\(error)"]))
                take(.failure(StoreUnavailable()))
                return false
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
        while control.isRunning {
            if connection == nil, ContinuousClock.now >= nextAttempt {
                connection = connect(&backoff)
                nextAttempt = ContinuousClock.now + backoff.next()
                if connection != nil { backoff.reset() }
            }
            let work = take()
            guard !work.isEmpty else {
                _ = hasWork.wait(timeout: .now() + .milliseconds(100))
                continue
            }
            if !answer(work, over: connection, &commands) { connection = nil }
        }
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
        var answered = 0
        do {
            var isUseful = connection != nil
            for errand in work.errands { isUseful = errand(isUseful ? connection : nil) && isUseful }
            guard !work.requests.isEmpty else { return isUseful }
            guard let connection, isUseful else { throw StoreUnavailable() }
            let progress = try progress(over: connection)
            for request in work.requests { request.lookup.addCommands(prefix: keyPrefix, to: &commands) }
            try connection.send(&commands)
            for request in work.requests {
                let channel = try request.lookup.receive(from: connection, progress: progress)
                answered += 1
                request.answer(.success(channel))
            }
            return true
        } catch {
            commands.removeAll()
            for request in work.requests[answered...] { request.answer(.failure(StoreUnavailable())) }
            if connection != nil {
                logger.warning("A request to Redis failed.", metadata: .of([.error: "\(error)"]))
            }
            return false
        }
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
            found[Int32(partition)] = reply.text.flatMap { StoredClock($0) }?.next
        }
        return found
    }
}
