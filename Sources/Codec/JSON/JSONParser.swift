import CSimdJSON
import Support

/// Owns one parser of the C++ shim and its buffers.
///
/// Belongs to one thread at a time.
///
/// Whatever a read hands out points into the buffers and is valid until the next read.
final class JSONParser {
    let handle: OpaquePointer

    init() {
        guard let handle = sl_parser_create() else { preconditionFailure("A JSON parser could not be allocated.") }
        self.handle = handle
    }

    deinit { sl_parser_destroy(handle) }

    /// Reads any record of ours into a flat list of values.
    ///
    /// What `kept` says is handed out as text. `result` becomes the top-level object when `SL_OK` is returned.
    func read(_ bytes: ByteSlice, keeping kept: sl_keep = SL_KEEP_NONE, into result: inout JSONValue?) -> sl_status {
        guard let start = bytes.start, bytes.count > 0 else { return SL_EMPTY }
        var values = sl_values()
        let status = sl_read_values(handle, start.assumingMemoryBound(to: UInt8.self), bytes.count, kept, &values)
        guard status == SL_OK, let first = values.values else { return status == SL_OK ? SL_MALFORMED : status }
        result = JSONValue(first)
        return SL_OK
    }

    /// The members of an object as the text that stands there, looked up in `slots`; `nil` when it is none.
    func members(of object: ByteSlice, in slots: JSONSlots) -> UnreadMembers? {
        var value: JSONValue?
        guard read(object, keeping: SL_KEEP_ALL, into: &value) == SL_OK, let value, let copy = sl_buffer(handle) else {
            return nil
        }
        return UnreadMembers(value, of: object, copy: copy, in: slots)
    }

    /// The same JSON object without white space between its tokens; `nil` when it is not one.
    func minify(_ bytes: ByteSlice) -> ByteSlice? {
        guard let start = bytes.start, bytes.count > 0 else { return nil }
        var text = sl_text()
        guard sl_minify(handle, start.assumingMemoryBound(to: UInt8.self), bytes.count, &text) == SL_OK else {
            return nil
        }
        return ByteSlice(text)
    }
}

extension ByteSlice {
    @inline(__always)
    init(_ text: sl_text) { self.init(start: UnsafeRawPointer(text.start), count: text.count) }
}
