import Support

/// Buffer of commands in Redis' protocol; appending allocates nothing once the buffer has grown.
///
/// ```swift
/// commands.begin("HSET", arguments: 3)
/// commands.add(prefix, "driver:", id)
/// commands.add("lat")
/// commands.add(37.7751, decimals: 6)
/// ```
/// Arguments are length-prefixed and may contain any bytes.
package struct RedisCommands: ~Copyable {
    private var writer: ByteWriter
    /// Buffer for an argument whose length is not known in advance.
    private var argument = ByteWriter(capacity: 256)
    private var missingArguments = 0
    /// Number of commands since the last ``removeAll()``.
    package private(set) var count = 0

    /// - Parameter capacity: initial capacity in bytes; doubles when needed.
    package init(capacity: Int = 1 << 16) { writer = ByteWriter(capacity: capacity) }

    /// Number of bytes since the last ``removeAll()``.
    package var byteCount: Int { writer.count }

    /// Removes all commands and keeps the memory.
    package mutating func removeAll() {
        writer.removeAll()
        count = 0
        missingArguments = 0
    }

    /// The bytes to send; valid until the next mutation.
    package var bytes: UnsafeRawBufferPointer {
        precondition(missingArguments == 0, "The last command has fewer arguments than announced.")
        return writer.bytes.buffer
    }

    /// Starts a command; exactly `arguments` calls of `add` follow.
    package mutating func begin(_ name: StaticString, arguments: Int) {
        precondition(missingArguments == 0, "The last command has fewer arguments than announced.")
        appendCount("*", arguments + 1)
        missingArguments = arguments + 1
        add(name)
        count += 1
    }

    @inline(__always)
    package mutating func add(_ bytes: UnsafeRawBufferPointer) {
        beginArgument(length: bytes.count)
        writer.append(ByteSlice(bytes))
        writer.append("\r\n")
    }

    @inline(__always)
    package mutating func add(_ text: StaticString) { add(ByteSlice(text).buffer) }

    /// Adds a text; disfavored, so that literals use the overload for `StaticString`.
    @_disfavoredOverload
    package mutating func add(_ text: String) {
        var text = text
        text.withUTF8 { add(UnsafeRawBufferPointer($0)) }
    }

    /// Adds one argument made of parts, such as a key with prefix, kind, id and suffix.
    @inline(__always)
    package mutating func add(
        _ first: UnsafeRawBufferPointer, _ second: StaticString, _ third: UnsafeRawBufferPointer,
        _ fourth: StaticString = ""
    ) {
        beginArgument(length: first.count + second.utf8CodeUnitCount + third.count + fourth.utf8CodeUnitCount)
        writer.append(ByteSlice(first))
        writer.append(second)
        writer.append(ByteSlice(third))
        writer.append(fourth)
        writer.append("\r\n")
    }

    /// Adds the output of `write` as one argument.
    @inline(__always)
    package mutating func add(_ write: (inout ByteWriter) -> Void) {
        argument.removeAll()
        write(&argument)
        add(argument.bytes.buffer)
    }

    package mutating func add(_ number: Int64) { add { $0.append(decimal: number) } }

    /// Adds a number with at most `decimals` (0 to 9) decimal places, without trailing zeros.
    package mutating func add(_ value: Double, decimals: Int) { add { $0.append(decimal: value, places: decimals) } }

    @inline(__always)
    private mutating func beginArgument(length: Int) {
        precondition(missingArguments > 0, "A command has more arguments than announced.")
        missingArguments -= 1
        appendCount("$", length)
    }

    /// Writes a count or length with its prefix and a line end.
    @inline(__always)
    private mutating func appendCount(_ prefix: StaticString, _ number: Int) {
        writer.append(prefix)
        writer.append(decimal: Int64(number))
        writer.append("\r\n")
    }
}
