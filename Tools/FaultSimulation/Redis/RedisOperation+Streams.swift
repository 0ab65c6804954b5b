extension RedisOperation {
    static let streams = [
        write("XADD", -5) { data, arguments throws(RedisFailure) in try addEntry(&data, arguments) },
        removal("XDEL", -3) { data, arguments throws(RedisFailure) in
            guard try data.read(arguments[1], as: RedisStream.self) != nil else { return .integer(0) }
            var ids: [RedisStream.ID] = []
            for argument in arguments.dropFirst(2) { ids.append(try streamID(argument, sequence: 0)) }
            let removed = try data.change(arguments[1], as: RedisStream.self) { stream in
                ids.count { stream.remove($0) }
            }
            if removed > 0 { data.touch(arguments[1]) }
            return .integer(Int64(removed))
        },
        read("XRANGE", -4) { data, arguments throws(RedisFailure) in
            try entries(&data, arguments, from: arguments[2], through: arguments[3], isReversed: false)
        },
        read("XREVRANGE", -4) { data, arguments throws(RedisFailure) in
            try entries(&data, arguments, from: arguments[3], through: arguments[2], isReversed: true)
        },
        read("XLEN", 2) { data, arguments throws(RedisFailure) in
            .integer(Int64(try data.read(arguments[1], as: RedisStream.self)?.entries.count ?? 0))
        },
    ]

    private struct Trim {
        let count: Int
        let isApproximate: Bool
    }

    private static func addEntry(
        _ data: inout RedisData, _ arguments: [[UInt8]]
    ) throws(RedisFailure) -> RedisResponse {
        var rest = arguments.dropFirst(2)
        let trim = try trim(&rest)
        guard let idText = rest.popFirst() else { throw .argumentCount(of: "XADD") }
        let explicit = idText == [UInt8(ascii: "*")] ? nil : try streamID(idText, sequence: 0)
        guard rest.count >= 2, rest.count % 2 == 0 else { throw .argumentCount(of: "XADD") }
        if explicit == .zero { throw RedisFailure("ERR The ID specified in XADD must be greater than 0-0") }
        let (last, next) = try ids(&data, arguments[1])
        let id = explicit ?? next
        guard id > last else {
            throw RedisFailure("ERR The ID specified in XADD is equal or smaller than the target stream top item")
        }
        let fields = Array(rest)
        try data.change(arguments[1], as: RedisStream.self) { stream in
            stream.append(fields, id: id)
            if let trim { stream.trim(to: trim.count, isApproximate: trim.isApproximate) }
        }
        data.touch(arguments[1])
        return .text(id.text)
    }

    /// Returns a stream's last id and the next one, without keeping a reference that would have the stream copied.
    private static func ids(
        _ data: inout RedisData, _ key: [UInt8]
    ) throws(RedisFailure) -> (last: RedisStream.ID, next: RedisStream.ID) {
        let stream = try data.read(key, as: RedisStream.self) ?? RedisStream()
        return (stream.lastID, stream.nextID(at: data.milliseconds))
    }

    /// Consumes `MAXLEN`, if it is next.
    private static func trim(_ arguments: inout ArraySlice<[UInt8]>) throws(RedisFailure) -> Trim? {
        guard let option = arguments.first.map(word), ["MAXLEN", "MINID", "NOMKSTREAM", "LIMIT"].contains(option) else {
            return nil
        }
        guard option == "MAXLEN" else { throw .unsupported }
        arguments.removeFirst()
        var isApproximate = false
        if let mark = arguments.first, mark == [UInt8(ascii: "~")] || mark == [UInt8(ascii: "=")] {
            isApproximate = mark == [UInt8(ascii: "~")]
            arguments.removeFirst()
        }
        guard let text = arguments.popFirst() else { throw .syntax }
        let count = try integer(text)
        guard count >= 0 else { throw RedisFailure("ERR The MAXLEN argument must be >= 0.") }
        return Trim(count: Int(count), isApproximate: isApproximate)
    }

    private static func streamID(_ bytes: [UInt8], sequence: UInt64) throws(RedisFailure) -> RedisStream.ID {
        guard let id = RedisStream.ID(bytes, sequence: sequence) else { throw .invalidStreamID }
        return id
    }

    private static func entries(
        _ data: inout RedisData, _ arguments: [[UInt8]], from start: [UInt8], through end: [UInt8], isReversed: Bool
    ) throws(RedisFailure) -> RedisResponse {
        if start.first == UInt8(ascii: "(") || end.first == UInt8(ascii: "(") { throw .unsupported }
        let first = start == [UInt8(ascii: "-")] ? .zero : try streamID(start, sequence: 0)
        let last = end == [UInt8(ascii: "+")] ? .maximum : try streamID(end, sequence: .max)
        var limit: Int?
        if arguments.count > 4 {
            guard arguments.count == 6, word(arguments[4]) == "COUNT" else { throw .syntax }
            limit = Int(max(0, try integer(arguments[5])))
        }
        guard let stream = try data.read(arguments[1], as: RedisStream.self) else { return .array([]) }
        if limit == 0 { return .nullArray }
        let found = stream.entries(from: first, through: last)
        let page = isReversed ? Array(found.reversed()) : Array(found)
        return .array(
            page.prefix(limit ?? page.count).map { .array([.text($0.id.text), .values($0.fields)]) })
    }
}
