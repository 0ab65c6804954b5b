import Codec
import Logging
import PositionWorker
import Redis
import Support

/// Notifications for requests that ended before a driver was found.
///
/// `driver-gateway` writes the requests to a Redis stream, which all workers read as one consumer
/// group. An entry is acknowledged when its deliveries have results. Any worker claims and retries
/// an entry that is unacknowledged for 20 s.
extension PushSink {
    private static let group = "push"
    /// Maximum number of entries per read.
    private static let readCount = "100"
    /// Idle time, in milliseconds, after which any worker claims an unacknowledged entry.
    private static let claimMilliseconds = "20000"
    /// Maximum delivery time per read; the partitions of `rider.updates` wait meanwhile.
    private static let deliveryTimeout = Duration.seconds(3)

    private struct Entry {
        var id: String
        /// Cancellation; `nil` for an unreadable entry, which is only acknowledged.
        var cancellation: RequestCancellation?
    }

    /// Delivers and acknowledges the entries of the stream.
    func deliverRequests(over connection: RedisConnection, now: Timestamp) throws {
        let entries: [Entry]
        do {
            entries = try readRequests(over: connection)
        } catch let error as RedisError where error.code == .authentication && !error.endsConnection {
            logger.warning(
                "Redis rights are missing; no notifications for ended requests.", metadata: .of([.error: "\(error)"]))
            return
        }
        guard !entries.isEmpty else { return }
        let oldest = Timestamp(milliseconds: now.milliseconds - configuration.maximumAge.wholeMilliseconds)
        // Removes expired jobs, because another worker may have acknowledged their entries.
        requestJobs = requestJobs.filter { (Self.time(ofEntry: String($0.key.event.dropFirst())) ?? oldest) > oldest }
        let messages = messages(of: entries, since: oldest)
        let trips = Set(messages.map(\.message.tripID))
        let devices = try devices(of: trips, over: connection)
        var keys: [String: [PushKey]] = [:]
        for (entry, message) in messages {
            for device in devices[message.tripID] ?? [] {
                if let key = addJob(message, device, to: &requestJobs) { keys[entry, default: []].append(key) }
            }
        }
        try deliverJobs(keys.values.flatMap { $0 })
        try acknowledge(entries, keys, trips, over: connection)
    }

    /// Returns the messages of entries since `oldest`; counts older entries as expired.
    private func messages(of entries: [Entry], since oldest: Timestamp) -> [(entry: String, message: PushMessage)] {
        entries.flatMap { entry -> [(entry: String, message: PushMessage)] in
            guard let cancellation = entry.cancellation, let at = Self.time(ofEntry: entry.id) else { return [] }
            guard at >= oldest else {
                metrics.expired.increment()
                return []
            }
            return PushMessage.messages(
                ofEndedRequest: cancellation.tripID, triggeredBy: cancellation.triggeredBy, entry: entry.id, at: at
            ).map { (entry.id, $0) }
        }
    }

    // MARK: The stream

    private func readRequests(over connection: RedisConnection) throws -> [Entry] {
        let key = RequestCancellation.key(prefix: configuration.keyPrefix)
        if !hasRequestGroup {
            try createGroup(of: key, over: connection)
            hasRequestGroup = true
        }
        do {
            let claimed = try connection.call(
                "XAUTOCLAIM", key, Self.group, consumer, Self.claimMilliseconds, "0-0", "COUNT", Self.readCount)
            let read = try connection.call(
                "XREADGROUP", "GROUP", Self.group, consumer, "COUNT", Self.readCount, "STREAMS", key, ">")
            let old = claimed.elements.dropFirst().first?.elements ?? []
            let new = read.elements.first?.elements.last?.elements ?? []
            return (old + new).compactMap(Self.entry)
        } catch {
            // NOGROUP means that Redis has lost its data, including the group.
            guard error.message.contains("NOGROUP") else { throw error }
            hasRequestGroup = false
            return []
        }
    }

    /// Creates the consumer group if it is missing.
    private func createGroup(of key: String, over connection: RedisConnection) throws {
        do {
            try connection.call("XGROUP", "CREATE", key, Self.group, "0", "MKSTREAM")
        } catch {
            guard error.message.contains("BUSYGROUP") else { throw error }
        }
    }

    /// Parses an entry; `nil` if it was trimmed from the stream.
    private static func entry(_ reply: RedisReply) -> Entry? {
        guard let id = reply.elements.first?.text, let texts = reply.elements.last?.elements.map({ $0.text ?? "" }),
            !texts.isEmpty
        else { return nil }
        let pairs = stride(from: 0, to: texts.count - 1, by: 2).map { (texts[$0], texts[$0 + 1]) }
        return Entry(id: id, cancellation: RequestCancellation(fields: Dictionary(pairs) { $1 }))
    }

    /// Returns the time of an entry, whose id begins with epoch milliseconds.
    private static func time(ofEntry id: String) -> Timestamp? {
        Int64(id.prefix { $0 != "-" }).map { Timestamp(milliseconds: $0) }
    }

    /// Acknowledges the entries whose notifications have results, and removes unregistered devices.
    private func acknowledge(
        _ entries: [Entry], _ keys: [String: [PushKey]], _ trips: Set<String>, over connection: RedisConnection
    ) throws {
        let done = entries.filter { (keys[$0.id] ?? []).allSatisfy { requestJobs[$0]?.result != nil } }
        guard !done.isEmpty else { return }
        let results = done.flatMap { keys[$0.id] ?? [] }
        let unregistered = results.filter { requestJobs[$0]?.result == .unregistered }
        let key = RequestCancellation.key(prefix: configuration.keyPrefix)
        commands.add(command: "MULTI")
        commands.add(command: "XACK", [key, Self.group] + done.map(\.id))
        let count = 1 + addDeviceRemoval(unregistered, endedTrips: trips)
        commands.begin("EXEC", arguments: 0)
        try connection.send(&commands)
        if case .executed(let failures) = try connection.receiveTransaction(commands: count),
            let failure = failures.first
        {
            throw failure
        }
        for key in results { requestJobs[key] = nil }
    }

    // MARK: Delivery

    /// Delivers the jobs without a result; unfinished jobs are retried when their entry is claimed.
    private func deliverJobs(_ keys: [PushKey]) throws {
        let keys = keys.filter { requestJobs[$0]?.result == nil }
        try deliver(keys, of: &requestJobs, for: min(Self.deliveryTimeout, configuration.deliveryTimeout))
        for key in keys {
            switch requestJobs[key]?.result {
            case .refused(let reason), .abandoned(let reason):
                // Logged, because a request has no record for a dead letter.
                logger.warning(
                    "Notification of an ended request was not delivered.", metadata: .of([.reason: "\(reason)"]))
            case .delivered, .unregistered, nil: break
            }
        }
    }
}
