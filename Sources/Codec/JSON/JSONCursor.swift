import Support

/// Writes JSON at one place of a ``ByteWriter``, into room that was reserved once for the whole record.
///
/// The caller says beforehand how much room its record needs at most; going beyond that is a broken invariant and
/// stops the program, it never writes outside.
struct JSONCursor {
    private(set) var next: UnsafeMutablePointer<UInt8>
    private let end: UnsafeMutablePointer<UInt8>
    /// The day, counted from 1970-01-01, whose date was written last, and where that stands.
    var day: Int64 = -1
    var date: UnsafeMutablePointer<UInt8>

    @inline(__always)
    init(_ room: UnsafeMutableRawBufferPointer) {
        let start = room.baseAddress.unsafelyUnwrapped.assumingMemoryBound(to: UInt8.self)
        next = start
        date = start
        end = start + room.count
    }

    /// Makes sure that `count` more bytes fit, and moves on past them.
    @inline(__always)
    mutating func claim(_ count: Int) -> UnsafeMutablePointer<UInt8> {
        precondition(end - next >= count, "A record is longer than the buffer that its writer reserved.")
        let start = next
        next = start + count
        return start
    }

    /// Gives back the last `count` bytes claimed.
    @inline(__always)
    mutating func unclaim(_ count: Int) { next -= count }

    /// Appends text that is JSON already: punctuation and names.
    @inline(__always)
    mutating func literal(_ text: StaticString) {
        let count = text.utf8CodeUnitCount
        UnsafeMutableRawPointer(claim(count)).copyMemory(from: text.utf8Start, byteCount: count)
    }

    /// Appends bytes that are JSON already.
    mutating func json(_ bytes: ByteSlice) {
        guard let start = bytes.start, bytes.count > 0 else { return }
        UnsafeMutableRawPointer(claim(bytes.count)).copyMemory(from: start, byteCount: bytes.count)
    }

    /// Appends text that is JSON already.
    mutating func json(_ text: String) {
        ByteSlice.withBytes(of: text) { json($0) }
    }

    @inline(__always)
    mutating func bool(_ value: Bool) { value ? literal("true") : literal("false") }
}

extension ByteWriter {
    /// Appends JSON of at most `maximum` bytes.
    @inline(__always)
    mutating func appendJSON(atMost maximum: Int, _ body: (inout JSONCursor) -> Void) {
        append(atMost: maximum) { room in
            var cursor = JSONCursor(room)
            let start = cursor.next
            body(&cursor)
            return cursor.next - start
        }
    }
}
