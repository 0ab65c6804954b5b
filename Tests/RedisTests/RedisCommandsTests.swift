import Redis
import Testing

@Suite("Redis commands")
struct RedisCommandsTests {
    private func text(_ commands: borrowing RedisCommands) -> String { String(decoding: commands.bytes, as: UTF8.self) }

    @Test("a command is an array of length-prefixed arguments")
    func encoding() {
        var commands = RedisCommands()
        commands.begin("SET", arguments: 2)
        commands.add("key")
        commands.add(-42)
        #expect(text(commands) == "*3\r\n$3\r\nSET\r\n$3\r\nkey\r\n$3\r\n-42\r\n")
        #expect(commands.count == 1)
    }

    @Test("an argument may contain line breaks and NUL, and may be empty")
    func binarySafe() {
        var commands = RedisCommands()
        commands.begin("ECHO", arguments: 2)
        [UInt8]([13, 10, 0]).withUnsafeBytes { commands.add($0) }
        commands.add(UnsafeRawBufferPointer(start: nil, count: 0))
        #expect(text(commands) == "*3\r\n$4\r\nECHO\r\n$3\r\n\r\n\0\r\n$0\r\n\r\n")
    }

    @Test("the parts of a key become one argument")
    func parts() {
        var commands = RedisCommands()
        var prefix = "dev:"
        var id = "drv_1"
        commands.begin("DEL", arguments: 1)
        prefix.withUTF8 { prefix in
            id.withUTF8 { id in
                commands.add(UnsafeRawBufferPointer(prefix), "driver:", UnsafeRawBufferPointer(id), ":trail")
            }
        }
        #expect(text(commands) == "*2\r\n$3\r\nDEL\r\n$22\r\ndev:driver:drv_1:trail\r\n")
    }

    @Test("lengths of one, two, three and six digits are written", arguments: [9, 10, 99, 100, 100_000])
    func lengths(length: Int) {
        var commands = RedisCommands(capacity: 1)
        commands.begin("ECHO", arguments: 1)
        commands.add(String(repeating: "x", count: length))
        #expect(text(commands) == "*2\r\n$4\r\nECHO\r\n$\(length)\r\n\(String(repeating: "x", count: length))\r\n")
    }

    @Test("an emptied buffer has no commands and no bytes")
    func removal() {
        var commands = RedisCommands()
        commands.begin("PING", arguments: 0)
        commands.removeAll()
        #expect(commands.bytes.isEmpty)
        #expect(commands.count == 0)
    }
}
