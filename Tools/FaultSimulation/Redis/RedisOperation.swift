import CFaultSimulation

/// A command of the simulated Redis.
struct RedisOperation: Sendable {
    typealias Execute = @Sendable (inout RedisData, [[UInt8]]) throws(RedisFailure) -> RedisResponse

    let name: String
    /// Number of arguments with the command's name; the minimum if negative.
    let argumentCount: Int
    let isWrite: Bool
    /// Whether Redis rejects the command when it is out of memory.
    let needsMemory: Bool
    /// Whether Redis executes the command while it loads its data.
    let worksWhileLoading: Bool
    /// `nil` for commands that concern the connection, which ``RedisSession`` executes.
    let execute: Execute?

    /// Returns the command with a name in capital or small letters.
    static func named(_ name: [UInt8]) -> RedisOperation? {
        all[name] ?? all[Array(String(decoding: name, as: UTF8.self).uppercased().utf8)]
    }

    private static let all: [[UInt8]: RedisOperation] = Dictionary(
        uniqueKeysWithValues: (connection + server + keys + strings + hashes + lists + sets + sortedSets + streams).map
        {
            (Array($0.name.utf8), $0)
        })

    private static let connection = [
        RedisOperation("AUTH", -2, worksWhileLoading: true), RedisOperation("WATCH", -2, worksWhileLoading: true),
        RedisOperation("UNWATCH", 1, worksWhileLoading: true), RedisOperation("MULTI", 1, worksWhileLoading: true),
        RedisOperation("EXEC", 1, worksWhileLoading: true), RedisOperation("DISCARD", 1, worksWhileLoading: true),
    ]

    private init(_ name: String, _ argumentCount: Int, worksWhileLoading: Bool) {
        self.name = name
        self.argumentCount = argumentCount
        self.worksWhileLoading = worksWhileLoading
        (isWrite, needsMemory, execute) = (false, false, nil)
    }

    private init(
        _ name: String, _ argumentCount: Int, isWrite: Bool, needsMemory: Bool, worksWhileLoading: Bool = false,
        _ execute: @escaping Execute
    ) {
        self.name = name
        self.argumentCount = argumentCount
        self.isWrite = isWrite
        self.needsMemory = needsMemory
        self.worksWhileLoading = worksWhileLoading
        self.execute = execute
    }

    static func read(_ name: String, _ argumentCount: Int, _ execute: @escaping Execute) -> RedisOperation {
        RedisOperation(name, argumentCount, isWrite: false, needsMemory: false, execute)
    }

    /// Returns a command that may add data.
    static func write(_ name: String, _ argumentCount: Int, _ execute: @escaping Execute) -> RedisOperation {
        RedisOperation(name, argumentCount, isWrite: true, needsMemory: true, execute)
    }

    /// Returns a command that only removes data or changes a lifetime.
    static func removal(_ name: String, _ argumentCount: Int, _ execute: @escaping Execute) -> RedisOperation {
        RedisOperation(name, argumentCount, isWrite: true, needsMemory: false, execute)
    }

    func accepts(_ count: Int) -> Bool { argumentCount < 0 ? count >= -argumentCount : count == argumentCount }

    /// Parses an integer as Redis writes it: without a plus sign or leading zeros.
    static func integer(_ bytes: [UInt8]) throws(RedisFailure) -> Int64 {
        let text = String(decoding: bytes, as: UTF8.self)
        guard let number = Int64(text), String(number) == text else { throw .notAnInteger }
        return number
    }

    static func word(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self).uppercased() }
}

// MARK: - Server

extension RedisOperation {
    private static let server = [
        read("PING", -1) { _, arguments throws(RedisFailure) in
            guard arguments.count < 3 else { throw .argumentCount(of: "PING") }
            return arguments.count == 2 ? .bytes(arguments[1]) : .status("PONG")
        },
        RedisOperation("ECHO", 2, isWrite: false, needsMemory: false, worksWhileLoading: true) { .bytes($1[1]) },
        RedisOperation("SELECT", 2, isWrite: false, needsMemory: false, worksWhileLoading: true) {
            data, arguments throws(RedisFailure) in
            let number = try integer(arguments[1])
            guard data.databases.indices.contains(Int(number)) else {
                throw RedisFailure("ERR DB index is out of range")
            }
            data.database = Int(number)
            return .ok
        },
        RedisOperation("INFO", -1, isWrite: false, needsMemory: false, worksWhileLoading: true) { _, _ in
            .text("# Server\r\nredis_version:7.0.15\r\nredis_mode:standalone\r\n")
        },
        RedisOperation("TIME", 1, isWrite: false, needsMemory: false, worksWhileLoading: true) { data, _ in
            .array([.text("\(data.microseconds / 1_000_000)"), .text("\(data.microseconds % 1_000_000)")])
        },
    ]
}

extension RedisData {
    /// Sets the time of the next command to a virtual time in nanoseconds.
    mutating func setTime(_ nanoseconds: Int64) {
        microseconds = sl_start_milliseconds * 1000 + nanoseconds / 1000
    }
}
