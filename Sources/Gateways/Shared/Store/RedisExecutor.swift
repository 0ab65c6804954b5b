import Dispatch
import Domain
import Logging
import Redis
import Runtime
import Synchronization

/// Executor of clients' Redis requests on one thread and one connection, batched into round trips.
///
/// While Redis is unavailable, requests fail with ``StoreUnavailable`` at once, so that no client waits. The connection
/// is retried.
final class RedisExecutor: Sendable {
    private typealias Request = (
        lookup: ChannelLookup, answer: @Sendable (Result<StoredChannel, StoreUnavailable>) -> Void
    )

    /// Work for the executor's thread; returns whether the connection is still usable.
    private typealias Job = @Sendable (RedisConnection?) -> Bool

    private struct Waiting {
        var requests: [Request] = []
        var jobs: [Job] = []
    }

    /// Maximum requests per round trip; all their replies are in memory at once.
    private static let maximumRequests = 64
    private static let failureLogInterval = Duration.seconds(10)

    private let configuration: RedisConfiguration
    private let keyPrefix: String
    private let partitionCount = Atomic(0)
    private let topic: String?
    private let consequence: String
    private let logger: Logger
    private let control: WorkerControl
    private let presence: GatewayPresence?
    private let waiting = Mutex(Waiting())
    private let loggedFailureAt = Mutex<ContinuousClock.Instant?>(nil)
    private let workAvailable = DispatchSemaphore(value: 0)

    /// Creates an executor that runs in ``run()``.
    ///
    /// `topic`: full name of the topic whose stored progress is read with channels; `nil` if no channels are read.
    /// `presence`: announced while the executor runs. `consequence`: effect of a Redis outage, a sentence for the log.
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
    }

    func setPartitionCount(_ count: Int) { partitionCount.store(count, ordering: .relaxed) }

    /// Reads a channel from any thread; `answer` is called on the executor's thread.
    func read(
        _ lookup: ChannelLookup, _ answer: @escaping @Sendable (Result<StoredChannel, StoreUnavailable>) -> Void
    ) {
        waiting.withLock { $0.requests.append((lookup, answer)) }
        workAvailable.signal()
    }

    func read(_ lookup: ChannelLookup) async throws(StoreUnavailable) -> StoredChannel {
        let result = await withCheckedContinuation { continuation in
            read(lookup) { continuation.resume(returning: $0) }
        }
        return try result.get()
    }

    /// Runs `body` on the executor's thread.
    func perform<Answer: Sendable>(
        _ body: @escaping @Sendable (RedisConnection) throws -> Answer
    ) async throws(StoreUnavailable) -> Answer {
        let result = await withCheckedContinuation { continuation in
            perform(body) { continuation.resume(returning: $0) }
        }
        return try result.get()
    }

    /// Runs `body`, then `completion` with the result, on the executor's thread.
    func perform<Answer: Sendable>(
        _ body: @escaping @Sendable (RedisConnection) throws -> Answer,
        _ completion: @escaping @Sendable (Result<Answer, StoreUnavailable>) -> Void
    ) {
        let job: Job = { [self] connection in
            guard let connection else {
                completion(.failure(StoreUnavailable()))
                return false
            }
            do {
                completion(.success(try body(connection)))
                return true
            } catch {
                completion(.failure(StoreUnavailable()))
                return isUsable(connection, after: error)
            }
        }
        waiting.withLock { $0.jobs.append(job) }
        workAvailable.signal()
    }

    /// Runs until shutdown, on a dedicated thread.
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
            let work = nextBatch(atMost: Self.maximumRequests)
            guard !work.requests.isEmpty || !work.jobs.isEmpty else {
                _ = workAvailable.wait(timeout: .now() + .milliseconds(100))
                continue
            }
            if !answer(work, over: connection, &commands) { connection = nil }
        }
        if let connection { presence?.withdraw(over: connection) }
        _ = answer(nextBatch(atMost: .max), over: nil, &commands)
    }

    private func nextBatch(atMost count: Int) -> Waiting {
        waiting.withLock { waiting in
            let work = Waiting(requests: Array(waiting.requests.prefix(count)), jobs: waiting.jobs)
            waiting.requests.removeFirst(work.requests.count)
            waiting.jobs = []
            return work
        }
    }

    private func connect(_ backoff: inout Backoff) -> RedisConnection? {
        do {
            let connection = try RedisConnection(configuration)
            if backoff.attempts > 1 { logger.notice("Redis is available again.") }
            return connection
        } catch {
            if backoff.attempts == 1 {
                logger.warning("Redis is unavailable: \(consequence)", metadata: .of([.error: "\(error)"]))
            }
            return nil
        }
    }

    /// Runs the jobs and answers the requests; returns whether the connection is still usable.
    private func answer(_ work: Waiting, over connection: RedisConnection?, _ commands: inout RedisCommands) -> Bool {
        var isUsable = connection != nil
        for job in work.jobs { isUsable = job(isUsable ? connection : nil) && isUsable }
        guard !work.requests.isEmpty else { return isUsable }
        guard let connection, isUsable else {
            for request in work.requests { request.answer(.failure(StoreUnavailable())) }
            return false
        }
        return answer(work.requests, over: connection, &commands)
    }

    /// Answers requests; returns whether the connection is still usable.
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
            return isUsable(connection, after: error)
        }
    }

    /// Receives the state of a channel; an error reply affects only this channel.
    /// - Throws: ``RedisError`` if the connection is no longer usable.
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

    /// Logs an error and skips pending replies; returns whether the connection is still usable.
    private func isUsable(_ connection: RedisConnection, after error: any Error) -> Bool {
        log(error)
        if let error = error as? RedisError, error.endsConnection { return false }
        do { try connection.discardReplies() } catch { return false }
        return true
    }

    private func log(_ error: any Error) {
        let isDue = loggedFailureAt.withLock { last in
            if let last, last.duration(to: .now) < Self.failureLogInterval { return false }
            last = .now
            return true
        }
        if isDue { logger.warning("A Redis request failed.", metadata: .of([.error: "\(error)"])) }
    }

    /// Reads the offset of each partition before which every record is stored.
    ///
    /// Must be read before the channels, which then contain all their records before these offsets.
    private func progress(over connection: RedisConnection) throws -> [Int32: Int64] {
        let count = partitionCount.load(ordering: .relaxed)
        guard let topic, count > 0 else { return [:] }
        var commands = RedisCommands(capacity: 4096)
        commands.begin("MGET", arguments: count)
        for partition in 0..<count { commands.add("\(keyPrefix)progress:\(topic):\(partition)") }
        try connection.send(&commands)
        var offsets: [Int32: Int64] = [:]
        for (partition, reply) in try connection.receive().elements.enumerated() {
            offsets[Int32(partition)] = reply.text.flatMap { StoredWatermark($0) }?.next
        }
        return offsets
    }
}

/// Failure of a Redis request: Redis is unavailable, or it refused the request.
struct StoreUnavailable: Error {}
