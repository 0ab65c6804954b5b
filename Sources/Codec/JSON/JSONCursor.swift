import Support

/// Writer of JSON into space that a ``Support/ByteWriter`` has reserved for the whole record.
///
/// A record that exceeds this space stops the program.
struct JSONCursor {
    private(set) var next: UnsafeMutablePointer<UInt8>
    private let end: UnsafeMutablePointer<UInt8>
    /// The date that was written last, in days since 1970-01-01, and the start of its text.
    var day: Int64 = -1
    var date: UnsafeMutablePointer<UInt8>

    @inline(__always) init(_ room: UnsafeMutableRawBufferPointer) {
        let start = room.baseAddress.unsafelyUnwrapped.assumingMemoryBound(to: UInt8.self)
        next = start
        date = start
        end = start + room.count
    }

    /// Moves past the next `count` bytes, which must fit, and returns their start.
    @inline(__always) mutating func claim(_ count: Int) -> UnsafeMutablePointer<UInt8> {
        precondition(end - next >= count, "A record is longer than the buffer that its writer reserved.")
        let start = next
        next = start + count
        return start
    }

    /// Releases the last `count` claimed bytes.
    @inline(__always) mutating func unclaim(_ count: Int) { next -= count }

    /// Appends constant JSON text, such as punctuation.
    @inline(__always) mutating func literal(_ text: StaticString) {
        let count = text.utf8CodeUnitCount
        UnsafeMutableRawPointer(claim(count)).copyMemory(from: text.utf8Start, byteCount: count)
    }

    mutating func json(_ bytes: ByteSlice) {
        guard let start = bytes.start, bytes.count > 0 else { return }
        UnsafeMutableRawPointer(claim(bytes.count)).copyMemory(from: start, byteCount: bytes.count)
    }

    mutating func json(_ text: String) { ByteSlice.withBytes(of: text) { json($0) } }

    @inline(__always) mutating func bool(_ value: Bool) { value ? literal("true") : literal("false") }
}

extension ByteWriter {
    /// Appends JSON of at most `maximum` bytes.
    @inline(__always) mutating func appendJSON(atMost maximum: Int, _ body: (inout JSONCursor) -> Void) {
        append(atMost: maximum) { room in
            var cursor = JSONCursor(room)
            let start = cursor.next
            body(&cursor)
            return cursor.next - start
        }
    }
}
