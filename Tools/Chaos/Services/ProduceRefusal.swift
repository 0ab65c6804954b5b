/// Rule for the writes that a proxy refuses.
struct ProduceRefusal: Sendable {
    enum Outcome: Equatable {
        case forward
        case close
        case respond([UInt8])
    }

    private let topic: [UInt8]
    private let partition: Int32?

    /// Refuses writes to topics whose name contains `topic`.
    ///
    /// With a `partition`, refuses only the writes to this partition, with the response of a broker that does not lead
    /// it. Without a `partition`, closes every connection with such a write.
    init(topic: String, partition: Int32? = nil) {
        self.topic = Array(topic.utf8)
        self.partition = partition
    }

    /// Evaluates a complete request with its length prefix.
    func outcome(of request: ArraySlice<UInt8>) -> Outcome {
        guard isProduce(request) else { return .forward }
        guard let partition else {
            // The topic name is not compressed, so its bytes can be found.
            return request.dropFirst(4).prefix(512).firstRange(of: topic) != nil ? .close : .forward
        }
        guard let write = ProduceRequest(request), write.partition == partition,
            write.topic.firstRange(of: topic) != nil
        else { return .forward }
        return .respond(write.notLeaderResponse)
    }

    /// Whether the API key is 0 (Produce); version, correlation id and client id follow.
    private func isProduce(_ request: ArraySlice<UInt8>) -> Bool {
        let start = request.startIndex + 4
        return request.count > 16 && request[start] == 0 && request[start + 1] == 0
    }
}

/// Produce request of librdkafka, which contains one partition of one topic.
struct ProduceRequest {
    let topic: [UInt8]
    let partition: Int32
    private let version: Int
    private let correlation: ArraySlice<UInt8>
    /// Whether lengths are variable integers and tagged fields may follow, as since version 9.
    private var isFlexible: Bool { version >= 9 }

    /// Reads a complete request with its length prefix; returns `nil` for other requests.
    init?(_ request: ArraySlice<UInt8>) {
        var reader = Reader(request, at: request.startIndex + 4)
        guard reader.integer(bytes: 2) == 0, let version = reader.integer(bytes: 2), (3...12).contains(version) else {
            return nil
        }
        let isFlexible = version >= 9
        guard reader.skip(4), reader.skipString(isCompact: false), !isFlexible || reader.skip(1),
            reader.skipString(isCompact: isFlexible),  // transactional id
            reader.skip(6),  // acks and timeout
            reader.count(isCompact: isFlexible) == 1, let topic = reader.text(isCompact: isFlexible),
            reader.count(isCompact: isFlexible) == 1, let partition = reader.integer(bytes: 4)
        else { return nil }
        self.topic = Array(request[topic])
        self.partition = Int32(truncatingIfNeeded: partition)
        self.version = version
        correlation = request.dropFirst(8).prefix(4)
    }

    /// Response of a broker that does not lead the partition, with its length prefix.
    var notLeaderResponse: [UInt8] {
        let notLeaderOrFollower: [UInt8] = [0, 6]
        let unknown = [UInt8](repeating: 255, count: 8)
        let number = withUnsafeBytes(of: partition.bigEndian) { Array($0) }
        var body = Array(correlation)
        if isFlexible { body += [0] }
        body += isFlexible ? [2, UInt8(topic.count + 1)] : [0, 0, 0, 1, 0, UInt8(topic.count)]
        body += topic + (isFlexible ? [2] : [0, 0, 0, 1])
        body += number + notLeaderOrFollower + unknown + unknown
        if version >= 5 { body += unknown }
        // No record errors, no message, no tagged fields.
        if version >= 8 { body += isFlexible ? [1, 0, 0, 0] : [0, 0, 0, 0, 255, 255] }
        body += [0, 0, 0, 0]
        if isFlexible { body += [0] }
        return withUnsafeBytes(of: Int32(body.count).bigEndian) { Array($0) } + body
    }

    private struct Reader {
        private let bytes: ArraySlice<UInt8>
        private var position: Int

        init(_ bytes: ArraySlice<UInt8>, at position: Int) {
            self.bytes = bytes
            self.position = position
        }

        mutating func integer(bytes count: Int) -> Int? {
            guard bytes.endIndex - position >= count else { return nil }
            defer { position += count }
            return bytes[position..<position + count].reduce(0) { $0 << 8 | Int($1) }
        }

        mutating func skip(_ count: Int) -> Bool {
            guard count >= 0, bytes.endIndex - position >= count else { return false }
            position += count
            return true
        }

        /// Reads the element count of an array; returns `nil` if the bytes end before.
        mutating func count(isCompact: Bool) -> Int? {
            isCompact ? variableInteger().map { $0 - 1 } : integer(bytes: 4)
        }

        /// Returns the range of a non-null string.
        mutating func text(isCompact: Bool) -> Range<Int>? {
            guard let length = isCompact ? variableInteger().map({ $0 - 1 }) : integer(bytes: 2), length >= 0 else {
                return nil
            }
            let start = position
            return skip(length) ? start..<position : nil
        }

        mutating func skipString(isCompact: Bool) -> Bool {
            let start = position
            guard let length = isCompact ? variableInteger() : integer(bytes: 2) else { return false }
            if isCompact ? length == 0 : length == 0xFFFF { return true }
            position = start
            return text(isCompact: isCompact) != nil
        }

        private mutating func variableInteger() -> Int? {
            var value = 0
            for shift in stride(from: 0, to: 35, by: 7) {
                guard let byte = integer(bytes: 1) else { return nil }
                value |= (byte & 0x7F) << shift
                if byte & 0x80 == 0 { return value }
            }
            return nil
        }
    }
}
