import CSimdJSON
import Support

/// Owner of a `CSimdJSON` parser, whose results are valid until the next read; not thread-safe.
final class JSONParser {
    let handle: OpaquePointer

    init() {
        guard let handle = sl_parser_create() else { preconditionFailure("A JSON parser could not be allocated.") }
        self.handle = handle
    }

    deinit { sl_parser_destroy(handle) }

    /// Parses a record into a list of values starting at `result`; `kept` values stay JSON text.
    func read(_ bytes: ByteSlice, keeping kept: sl_keep = SL_KEEP_NONE, into result: inout JSONValue?) -> sl_status {
        guard let start = bytes.start, bytes.count > 0 else { return SL_EMPTY }
        var first: UnsafePointer<sl_value>?
        let status = sl_read_values(handle, start.assumingMemoryBound(to: UInt8.self), bytes.count, kept, &first)
        guard status == SL_OK, let first else { return status == SL_OK ? SL_MALFORMED : status }
        result = JSONValue(first)
        return SL_OK
    }

    /// Returns the members of `object` as JSON text; `nil` if it is not an object.
    func members(of object: ByteSlice, in slots: JSONSlots) -> UnparsedMembers? {
        var value: JSONValue?
        guard read(object, keeping: SL_KEEP_ALL, into: &value) == SL_OK, let value, let copy = sl_buffer(handle) else {
            return nil
        }
        return UnparsedMembers(value, of: object, copy: copy, in: slots)
    }

    /// Removes the white space between the tokens of an object; `nil` if it is invalid.
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
    @inline(__always) init(_ text: sl_text) { self.init(start: UnsafeRawPointer(text.start), count: text.count) }
}

/// Members of an object as JSON text: slices of the object's bytes, valid until the parser reads the next record.
struct UnparsedMembers {
    private let fields: JSONFields
    private let object: ByteSlice
    /// Start of the parser's copy of the object.
    private let copy: UnsafeRawPointer

    init(_ value: JSONValue, of object: ByteSlice, copy: UnsafeRawPointer, in slots: JSONSlots) {
        fields = JSONFields(value, in: slots)
        self.object = object
        self.copy = copy
    }

    /// Returns the JSON of a member; `nil` if it is absent or null.
    subscript(key: sl_key) -> ByteSlice? {
        guard let text = fields[key]?.keptText, let start = text.start else { return nil }
        return ByteSlice(start: object.start.map { $0 + (start - copy) }, count: text.count)
    }

    /// Returns the content of a string, with its escapes; `nil` if empty or not a string.
    func text(_ key: sl_key) -> ByteSlice? {
        guard let json = self[key], json.count > 2, json[0] == UInt8(ascii: "\"") else { return nil }
        return ByteSlice(start: json.start.map { $0 + 1 }, count: json.count - 2)
    }
}
