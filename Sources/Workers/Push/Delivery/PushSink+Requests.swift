import Codec
import Logging
import Redis
import Support

/// Notifications of requests that ended before a driver was found.
///
/// No topic has them: `driver-gateway` writes them to a stream of Redis, which all workers read as one group. An entry is
/// acknowledged when the services have answered. One whose worker ended, or whose delivery has to be tried again, is
/// claimed by some worker later.
extension PushSink {
    private static let group = "push"
    /// Entries of one reading.
    private static let readCount = "100"
    /// Age of an unacknowledged entry, in milliseconds, from which on any worker delivers it.
    private static let claimMilliseconds = "20000"
    /// Time for the deliveries of one reading; the partitions of `rider.updates` wait meanwhile.
    private static let patience = Duration.seconds(3)

    private struct Entry {
        var id: String
        /// `nil` where the entry cannot be read; it is acknowledged alone.
        var cancellation: RequestCancellation?
    }

    /// Delivers what the stream has, and acknowledges it.
    func deliverRequests(over connection: RedisConnection, now: Timestamp) throws {
        let entries: [Entry]
        do {
            entries = try readRequests(over: connection)
        } catch let error as RedisError where error.code == .authentication && !error.endsConnection {
            logger.warning(
                "Ended requests are not read; riders get no notification of them.",
                metadata: .of([.error: "\(error)"]))
            return
        }
        guard !entries.isEmpty else { return }
        let oldest = Timestamp(
            milliseconds: now.milliseconds - configuration.maximumAge.wholeMilliseconds)
        // Another worker may have claimed and acknowledged an entry.
        requestJobs = requestJobs.filter { (Self.time(ofEntry: String($0.key.event.dropFirst())) ?? oldest) > oldest }
        let messages = messages(of: entries, since: oldest)
        let devices =
            messages.isEmpty
            ? [:] : try devices(of: Set(messages.map(\.message.tripID)), over: connection)
        var keys: [String: [PushKey]] = [:]
        for (entry, message) in messages {
            for device in devices[message.tripID] ?? [] {
                if let key = addJob(message, device) { keys[entry, default: []].append(key) }
            }
        }
        try deliverJobs(keys.values.flatMap { $0 })
        try acknowledge(entries, keys, Set(messages.map(\.message.tripID)), over: connection)
    }

    /// Makes the messages of entries that are not older than `oldest`, and counts the older ones as expired.
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
            try makeGroup(of: key, over: connection)
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
            // Redis has lost its data.
            guard error.message.contains("NOGROUP") else { throw error }
            hasRequestGroup = false
            return []
        }
    }

    /// Makes the group unless another worker has done so.
    private func makeGroup(of key: String, over connection: RedisConnection) throws {
        do {
            try connection.call("XGROUP", "CREATE", key, Self.group, "0", "MKSTREAM")
        } catch {
            guard error.message.contains("BUSYGROUP") else { throw error }
        }
    }

    /// Reads an entry; `nil` for one that the stream has dropped.
    private static func entry(_ reply: RedisReply) -> Entry? {
        guard let id = reply.elements.first?.text, let texts = reply.elements.last?.elements.map({ $0.text ?? "" }),
            !texts.isEmpty
        else { return nil }
        let pairs = stride(from: 0, to: texts.count - 1, by: 2).map { (texts[$0], texts[$0 + 1]) }
        return Entry(id: id, cancellation: RequestCancellation(fields: Dictionary(pairs) { $1 }))
    }

    /// The time of an entry: its id begins with Redis' milliseconds.
    private static func time(ofEntry id: String) -> Timestamp? {
        Int64(id.prefix { $0 != "-" }).map { Timestamp(milliseconds: $0) }
    }

    /// Acknowledges the entries whose notifications have results, and removes devices that are no longer registered.
    private func acknowledge(
        _ entries: [Entry], _ keys: [String: [PushKey]], _ trips: Set<String>, over connection: RedisConnection
    ) throws {
        let done = entries.filter { (keys[$0.id] ?? []).allSatisfy { requestJobs[$0]?.result != nil } }
        guard !done.isEmpty else { return }
        let results = done.flatMap { keys[$0.id] ?? [] }
        let unregistered = results.filter { requestJobs[$0]?.result == .unregistered }
        commands.begin("MULTI", arguments: 0)
        commands.begin("XACK", arguments: 2 + done.count)
        commands.add(RequestCancellation.key(prefix: configuration.keyPrefix))
        commands.add(Self.group)
        for entry in done { commands.add(entry.id) }
        for key in unregistered {
            commands.begin("HDEL", arguments: 2)
            commands.add(PushDevice.key(prefix: configuration.keyPrefix, trip: key.trip))
            commands.add(key.device.field)
        }
        for trip in trips {
            commands.begin("PEXPIRE", arguments: 2)
            commands.add(PushDevice.key(prefix: configuration.keyPrefix, trip: trip))
            commands.add(configuration.keptAfterEnd.wholeMilliseconds)
        }
        commands.begin("EXEC", arguments: 0)
        try connection.send(&commands)
        if case .executed(let failures) = try connection.receiveTransaction(
            commands: 1 + unregistered.count + trips.count), let failure = failures.first
        {
            throw failure
        }
        for key in results { requestJobs[key] = nil }
    }

    // MARK: Delivery

    /// Adds the job of a message for a device unless it has one; `nil` where the device's service is not set up.
    private func addJob(_ message: PushMessage, _ device: PushDevice) -> PushKey? {
        guard let request = configuration.rendering.request(message, for: device) else {
            metrics.add(.unconfigured, device.platform)
            return nil
        }
        let key = PushKey(event: message.eventID, trip: message.tripID, device: device)
        if requestJobs[key] == nil { requestJobs[key] = PushJob(request) }
        return key
    }

    /// Delivers the jobs that have no result; a later claim tries the rest again.
    private func deliverJobs(_ keys: [PushKey]) throws {
        let keys = keys.filter { requestJobs[$0]?.result == nil }
        try deliver(keys, of: &requestJobs, for: min(Self.patience, configuration.patience))
        for key in keys {
            switch requestJobs[key]?.result {
            case .refused(let reason), .abandoned(let reason):
                // There is no record that could become a dead letter.
                logger.warning(
                    "The notification of an ended request was not delivered.",
                    metadata: .of([.reason: "\(reason)"]))
            case .delivered, .unregistered, nil: break
            }
        }
    }
}
