import Domain
import Redis

/// A transaction that reads a channel from Redis; docs/storage.md lists the keys.
struct ChannelLookup: Sendable {
    let channel: ChannelName
    /// How many of the newest stream entries to read; 0 for none.
    let entries: Int
    /// Whether to read the trip's request as well, which replaces the trip until it has a driver.
    let needsRequest: Bool

    /// Enough for a client that was disconnected for a moment.
    static let recentEntries = 32
    /// More than any stream has.
    static let allEntries = 100_000

    init(_ channel: ChannelName, entries: Int, needsRequest: Bool = true) {
        self.channel = channel
        self.entries = entries
        self.needsRequest = needsRequest && channel.kind == .trip
    }

    /// Adds the commands, which Redis executes in one transaction.
    func addCommands(prefix: String, to commands: inout RedisCommands) {
        commands.begin("MULTI", arguments: 0)
        commands.begin("HGETALL", arguments: 1)
        commands.add("\(prefix)\(channel)")
        if needsRequest {
            commands.begin("HGETALL", arguments: 1)
            commands.add(StoredRequest.key(prefix: prefix, trip: channel.id))
        }
        if entries > 0 {
            commands.begin("XREVRANGE", arguments: 5)
            commands.add("\(prefix)\(channel):events")
            commands.add("+")
            commands.add("-")
            commands.add("COUNT")
            commands.add(Int64(entries))
        }
        commands.begin("EXEC", arguments: 0)
    }

    /// Receives the replies to ``addCommands(prefix:to:)``.
    ///
    /// `progress`: the stored `rider.updates` offset of each partition, read before the transaction.
    func receive(from connection: RedisConnection, progress: [Int32: Int64]) throws(RedisError) -> StoredChannel {
        let reads = 1 + (needsRequest ? 1 : 0) + (entries > 0 ? 1 : 0)
        // Receive every reply, even after an error: the connection's next lookup needs its own replies.
        var refusal: RedisError?
        for _ in 0..<(1 + reads) {
            if case .failure(let error) = try connection.receiveAny(), refusal == nil { refusal = error }
        }
        let result = try connection.receiveAny()
        if case .failure(let error) = result, refusal == nil { refusal = error }
        for case .failure(let error) in result.elements where refusal == nil { refusal = error }
        if let refusal { throw refusal }
        let results = result.elements
        guard results.count == reads else {
            throw RedisError(.refused, "Redis returned an unexpected reply to a channel lookup.")
        }
        var channel = Self.hash(results[0].elements)
        if channel.watermarks.isEmpty, needsRequest { channel.fields = Self.hash(results[1].elements).fields }
        channel.progress = progress.filter { channel.watermarks[$0.key] != nil }
        guard entries > 0 else {
            channel.hasAllEntries = false
            return channel
        }
        let found = results[reads - 1].elements
        channel.entries = found.reversed().compactMap(Self.entry)
        channel.hasAllEntries = found.count < entries
        return channel
    }

    private static func hash(_ fields: [RedisReply]) -> StoredChannel {
        var channel = StoredChannel()
        for index in stride(from: 0, to: fields.count - 1, by: 2) {
            guard let name = fields[index].text, case .bytes(let value) = fields[index + 1] else { continue }
            if name.hasPrefix("clock:"), let partition = Int32(name.dropFirst("clock:".count)) {
                channel.watermarks[partition] = Watermark(text: String(decoding: value, as: UTF8.self))
            } else {
                channel.fields[name] = value
            }
        }
        return channel
    }

    /// Parses a stream entry: its id, then alternating field names and values.
    private static func entry(_ reply: RedisReply) -> StoredChannel.Entry? {
        guard let fields = reply.elements.last?.elements, fields.count >= 4,
            let event = fields[1].text.flatMap({ EventID($0) }), case .bytes(let message) = fields[3]
        else { return nil }
        return StoredChannel.Entry(event: event, message: message)
    }
}
