import Support

/// Commands in Redis' own protocol, in memory that is reused: appending one allocates nothing once it has grown.
///
/// ```swift
/// commands.begin("HSET", arguments: 3)
/// commands.add(prefix, "driver:", id)
/// commands.add("lat")
/// commands.add(37.7751, decimals: 6)
/// ```
/// Arguments are bytes with their length in front, so anything may be in them.
package struct RedisCommands: ~Copyable {
    private var writer: ByteWriter
    /// What an argument is written to whose length is not known beforehand.
    private var argument = ByteWriter(capacity: 256)
    private var missingArguments = 0
    /// Commands begun since the last ``removeAll()``.
    package private(set) var count = 0

    /// - Parameter capacity: bytes reserved at once; more are taken, doubling, when needed.
    package init(capacity: Int = 1 << 16) { writer = ByteWriter(capacity: capacity) }

    /// Bytes written since the last ``removeAll()``.
    package var byteCount: Int { writer.count }

    /// Forgets all commands and keeps the memory.
    package mutating func removeAll() {
        writer.removeAll()
        count = 0
        missingArguments = 0
    }

    /// The bytes to send; valid until the next mutation.
    package var bytes: UnsafeRawBufferPointer {
        precondition(missingArguments == 0, "The last command has all the arguments it announced.")
        return writer.bytes.buffer
    }

    /// Starts a command; exactly `arguments` calls of `add` follow.
    package mutating func begin(_ name: StaticString, arguments: Int) {
        precondition(missingArguments == 0, "The last command has all the arguments it announced.")
        putNumber("*", arguments + 1)
        missingArguments = arguments + 1
        add(name)
        count += 1
    }

    /// Adds an argument of plain bytes.
    @inline(__always)
    package mutating func add(_ bytes: UnsafeRawBufferPointer) {
        open(length: bytes.count)
        writer.append(ByteSlice(bytes))
        writer.append("\r\n")
    }

    /// Adds a fixed text.
    @inline(__always)
    package mutating func add(_ text: StaticString) {
        add(ByteSlice(text).buffer)
    }

    /// Adds a text; literals are taken for fixed ones.
    @_disfavoredOverload
    package mutating func add(_ text: String) {
        var text = text
        text.withUTF8 { add(UnsafeRawBufferPointer($0)) }
    }

    /// Adds one argument put together from parts: a key out of prefix, kind, id and aspect.
    @inline(__always)
    package mutating func add(
        _ first: UnsafeRawBufferPointer, _ second: StaticString, _ third: UnsafeRawBufferPointer,
        _ fourth: StaticString = ""
    ) {
        open(length: first.count + second.utf8CodeUnitCount + third.count + fourth.utf8CodeUnitCount)
        writer.append(ByteSlice(first))
        writer.append(second)
        writer.append(ByteSlice(third))
        writer.append(fourth)
        writer.append("\r\n")
    }

    /// Adds what `write` writes as one argument.
    @inline(__always)
    package mutating func add(_ write: (inout ByteWriter) -> Void) {
        argument.removeAll()
        write(&argument)
        add(argument.bytes.buffer)
    }

    /// Adds a whole number in decimal.
    package mutating func add(_ number: Int64) { add { $0.append(decimal: number) } }

    /// Adds a number with at most `decimals` places (0 to 9), trailing zeros left out; see
    /// ``Bytes/DecimalText/write(_:places:at:)``.
    package mutating func add(_ value: Double, decimals: Int) { add { $0.append(decimal: value, places: decimals) } }

    @inline(__always)
    private mutating func open(length: Int) {
        precondition(missingArguments > 0, "A command takes the number of arguments it announced.")
        missingArguments -= 1
        putNumber("$", length)
    }

    /// Puts a count or length with its mark in front and a line end behind.
    @inline(__always)
    private mutating func putNumber(_ mark: StaticString, _ number: Int) {
        writer.append(mark)
        writer.append(decimal: Int64(number))
        writer.append("\r\n")
    }
}
