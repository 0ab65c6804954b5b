/// A Produce request of librdkafka, which writes to one partition of one topic per request.
struct ProduceRequest {
    let topic: [UInt8]
    let partition: Int32
    private let version: Int
    private let correlation: ArraySlice<UInt8>
    /// From version 9 on, lengths are variable integers and may be followed by tagged fields.
    private var isFlexible: Bool { version >= 9 }

    /// Reads a whole request, its four bytes of length included; `nil` for any other request.
    init?(_ request: ArraySlice<UInt8>) {
        var reader = Reader(request, at: request.startIndex + 4)
        guard reader.integer(bytes: 2) == 0, let version = reader.integer(bytes: 2), (3...12).contains(version) else {
            return nil
        }
        let isFlexible = version >= 9
        guard reader.skip(4), reader.skipString(isCompact: false), !isFlexible || reader.skip(1),
            reader.skipString(isCompact: isFlexible),  // the transaction's id
            reader.skip(6),  // acks and timeout
            reader.count(isCompact: isFlexible) == 1, let topic = reader.text(isCompact: isFlexible),
            reader.count(isCompact: isFlexible) == 1, let partition = reader.integer(bytes: 4)
        else { return nil }
        self.topic = Array(request[topic])
        self.partition = Int32(truncatingIfNeeded: partition)
        self.version = version
        correlation = request.dropFirst(8).prefix(4)
    }

    /// The answer of a broker that does not lead the partition, its length in front.
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
        // No errors of single records, no message, and no tagged fields.
        if version >= 8 { body += isFlexible ? [1, 0, 0, 0] : [0, 0, 0, 0, 255, 255] }
        body += [0, 0, 0, 0]
        if isFlexible { body += [0] }
        return withUnsafeBytes(of: Int32(body.count).bigEndian) { Array($0) } + body
    }

    private struct Reader {
        private let bytes: ArraySlice<UInt8>
        private var place: Int

        init(_ bytes: ArraySlice<UInt8>, at place: Int) {
            self.bytes = bytes
            self.place = place
        }

        mutating func integer(bytes count: Int) -> Int? {
            guard bytes.endIndex - place >= count else { return nil }
            defer { place += count }
            return bytes[place..<place + count].reduce(0) { $0 << 8 | Int($1) }
        }

        mutating func skip(_ count: Int) -> Bool {
            guard count >= 0, bytes.endIndex - place >= count else { return false }
            place += count
            return true
        }

        /// The elements of an array.
        mutating func count(isCompact: Bool) -> Int? {
            isCompact ? variableInteger().map { $0 - 1 } : integer(bytes: 4)
        }

        /// Where a text is that is not null.
        mutating func text(isCompact: Bool) -> Range<Int>? {
            guard let length = isCompact ? variableInteger().map({ $0 - 1 }) : integer(bytes: 2), length >= 0 else {
                return nil
            }
            let start = place
            return skip(length) ? start..<place : nil
        }

        mutating func skipString(isCompact: Bool) -> Bool {
            let start = place
            guard let length = isCompact ? variableInteger() : integer(bytes: 2) else { return false }
            if isCompact ? length == 0 : length == 0xFFFF { return true }
            place = start
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
