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
    private var memory: UnsafeMutableRawBufferPointer
    private var missingArguments = 0
    /// Bytes written since the last ``removeAll()``.
    package private(set) var byteCount = 0
    /// Commands begun since the last ``removeAll()``.
    package private(set) var count = 0

    /// - Parameter capacity: bytes reserved at once; more are taken, doubling, when needed.
    package init(capacity: Int = 1 << 16) {
        memory = .allocate(byteCount: max(capacity, 256), alignment: 8)
    }

    deinit { memory.deallocate() }

    /// Forgets all commands and keeps the memory.
    package mutating func removeAll() {
        byteCount = 0
        count = 0
        missingArguments = 0
    }

    /// The bytes to send; valid until the next mutation.
    package var bytes: UnsafeRawBufferPointer {
        precondition(missingArguments == 0, "The last command has all the arguments it announced.")
        return UnsafeRawBufferPointer(rebasing: memory[0..<byteCount])
    }

    /// Starts a command; exactly `arguments` calls of `add` follow.
    package mutating func begin(_ name: StaticString, arguments: Int) {
        precondition(missingArguments == 0, "The last command has all the arguments it announced.")
        reserve(24)
        put(UInt8(ascii: "*"))
        putNumber(arguments + 1)
        putLineEnd()
        missingArguments = arguments + 1
        add(name)
        count += 1
    }

    /// Adds an argument of plain bytes.
    @inline(__always)
    package mutating func add(_ bytes: UnsafeRawBufferPointer) {
        open(length: bytes.count)
        put(bytes)
        putLineEnd()
    }

    /// Adds a fixed text.
    @inline(__always)
    package mutating func add(_ text: StaticString) {
        add(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
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
        put(first)
        put(UnsafeRawBufferPointer(start: second.utf8Start, count: second.utf8CodeUnitCount))
        put(third)
        put(UnsafeRawBufferPointer(start: fourth.utf8Start, count: fourth.utf8CodeUnitCount))
        putLineEnd()
    }

    /// Adds a whole number in decimal.
    package mutating func add(_ number: Int64) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: DecimalText.maximumByteCount) { scratch in
            let used = DecimalText.write(number, into: scratch)
            add(UnsafeRawBufferPointer(start: scratch.baseAddress, count: used))
        }
    }

    /// Adds a number with at most `decimals` places (0 to 9), trailing zeros left out.
    ///
    /// Values beyond ±9.2e18 / 10^decimals, which no measure of a vehicle reaches, are held to that bound.
    package mutating func add(_ value: Double, decimals: Int) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: DecimalText.maximumByteCount) { scratch in
            let used = DecimalText.write(value, decimals: decimals, into: scratch)
            add(UnsafeRawBufferPointer(start: scratch.baseAddress, count: used))
        }
    }

    @inline(__always)
    private mutating func open(length: Int) {
        precondition(missingArguments > 0, "A command takes the number of arguments it announced.")
        missingArguments -= 1
        reserve(length + 32)
        put(UInt8(ascii: "$"))
        putNumber(length)
        putLineEnd()
    }

    @inline(__always)
    private mutating func put(_ byte: UInt8) {
        memory[byteCount] = byte
        byteCount += 1
    }

    @inline(__always)
    private mutating func put(_ bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.baseAddress, bytes.count > 0 else { return }
        UnsafeMutableRawBufferPointer(rebasing: memory[byteCount...]).baseAddress?
            .copyMemory(from: start, byteCount: bytes.count)
        byteCount += bytes.count
    }

    @inline(__always)
    private mutating func putLineEnd() {
        put(UInt8(ascii: "\r"))
        put(UInt8(ascii: "\n"))
    }

    @inline(__always)
    private mutating func putNumber(_ number: Int) {
        if number < 10 {
            put(UInt8(truncatingIfNeeded: 48 + number))
        } else if number < 100 {
            put(UInt8(truncatingIfNeeded: 48 + number / 10))
            put(UInt8(truncatingIfNeeded: 48 + number % 10))
        } else {
            let target = UnsafeMutableRawBufferPointer(rebasing: memory[byteCount...]).bindMemory(to: UInt8.self)
            byteCount += DecimalText.write(Int64(number), into: target)
        }
    }

    @inline(__always)
    private mutating func reserve(_ additional: Int) {
        if byteCount + additional > memory.count { grow(to: byteCount + additional) }
    }

    @inline(never)
    private mutating func grow(to needed: Int) {
        let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: max(needed, memory.count * 2), alignment: 8)
        larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: memory[0..<byteCount]))
        memory.deallocate()
        memory = larger
    }
}
