import Domain
import PositionWorker
import Redis

/// A transaction that reads a channel from Redis; docs/storage.md lists the keys.
struct ChannelLookup: Sendable {
    let channel: ChannelName
    /// Number of newest stream entries to read.
    let depth: Depth
    /// Whether to also read the trip's request, which clients receive until the trip has a driver.
    let needsRequest: Bool

    enum Depth: Int {
        case none = 0
        /// Enough for a client that was disconnected for a moment.
        case recent = 32
        /// More entries than any stream has.
        case all = 100_000
    }

    init(_ channel: ChannelName, _ depth: Depth, needsRequest: Bool = true) {
        self.channel = channel
        self.depth = depth
        self.needsRequest = needsRequest && channel.kind == .trip
    }

    func addCommands(prefix: String, to commands: inout RedisCommands) {
        commands.add(command: "MULTI")
        commands.add(command: "HGETALL", ["\(prefix)\(channel)"])
        if needsRequest {
            commands.add(command: "HGETALL", [StoredRequest.key(prefix: prefix, trip: channel.id)])
        }
        if depth != .none {
            commands.add(command: "XREVRANGE", ["\(prefix)\(channel):events", "+", "-", "COUNT", "\(depth.rawValue)"])
        }
        commands.add(command: "EXEC")
    }

    /// Receives the replies to ``addCommands(prefix:to:)``.
    ///
    /// `progress`: the stored `rider.updates` offset of each partition, read before the transaction.
    func receive(from connection: RedisConnection, progress: [Int32: Int64]) throws(RedisError) -> StoredChannel {
        let reads = 1 + (needsRequest ? 1 : 0) + (depth != .none ? 1 : 0)
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
        guard depth != .none else {
            channel.hasAllEntries = false
            return channel
        }
        let newestFirst = results[reads - 1].elements
        channel.entries = newestFirst.reversed().compactMap(Self.entry)
        channel.hasAllEntries = newestFirst.count < depth.rawValue
        return channel
    }

    private static func hash(_ fields: [RedisReply]) -> StoredChannel {
        var channel = StoredChannel()
        for index in stride(from: 0, to: fields.count - 1, by: 2) {
            guard let name = fields[index].text, case .bytes(let value) = fields[index + 1] else { continue }
            if name.hasPrefix("watermark:"), let partition = Int32(name.dropFirst("watermark:".count)) {
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

/// A channel's state in Redis, read in one transaction.
struct StoredChannel: Sendable {
    /// An entry of the channel's stream: a record of `rider.updates`.
    struct Entry: Sendable, Equatable {
        var event: EventID
        var message: [UInt8]
    }

    /// The last events that each partition wrote to the channel; empty if no update was published.
    var watermarks: [Int32: Watermark] = [:]
    /// For each partition in ``watermarks``, the `rider.updates` offset before which every record is stored.
    var progress: [Int32: Int64] = [:]
    /// The newest entries of the stream, oldest first.
    var entries: [Entry] = []
    /// Whether ``entries`` contains the whole stream.
    var hasAllEntries = true
    /// The fields of the channel's hash without its watermarks, or of the trip's request if ``isRequest``.
    var fields: [String: [UInt8]] = [:]

    /// Whether this is a requested trip without a driver, for which no update was published yet.
    var isRequest: Bool { watermarks.isEmpty && !fields.isEmpty }
}
