import CSimdJSON
import Support

/// One value of a parsed record, valid until the next read; accessors return `nil` for a value of another kind.
struct JSONValue {
    private let entry: UnsafePointer<sl_value>

    @inline(__always) init(_ entry: UnsafePointer<sl_value>) { self.entry = entry }

    /// The name of a member of an object.
    @inline(__always) var key: sl_key { entry.pointee.key }

    @inline(__always) var kind: sl_kind { entry.pointee.kind }

    var isNull: Bool { kind == SL_NULL }

    var text: ByteSlice? {
        guard kind == SL_TEXT else { return nil }
        return ByteSlice(start: UnsafeRawPointer(entry.pointee.start), count: Int(entry.pointee.count))
    }

    /// The JSON text of a value that the parser did not convert; see `sl_keep`.
    var keptText: ByteSlice? {
        guard entry.pointee.is_kept else { return nil }
        return ByteSlice(start: UnsafeRawPointer(entry.pointee.start), count: Int(entry.pointee.count))
    }

    var bool: Bool? {
        switch kind {
        case SL_TRUE: true
        case SL_FALSE: false
        default: nil
        }
    }

    /// Any number; infinite if it exceeds the range of a double.
    var double: Double? {
        switch kind {
        case SL_INTEGER: Double(entry.pointee.integer)
        case SL_NUMBER: entry.pointee.number
        default: nil
        }
    }

    /// A whole number, in any notation, within 64 bits.
    var integer: Int64? {
        switch kind {
        case SL_INTEGER: entry.pointee.integer
        case SL_NUMBER: Int64(exactly: entry.pointee.number)
        default: nil
        }
    }

    /// ISO 8601 text, or a number of milliseconds or seconds, in the years 1970 to 9999.
    var timestamp: Timestamp? {
        if let text { return ISO8601.time(text) }
        return double.flatMap { Timestamp(numericTime: $0) }
    }

    /// The members of an object or the elements of an array, in order; empty for other values.
    var members: Members {
        let isOpen = (kind == SL_OBJECT || kind == SL_ARRAY) && !entry.pointee.is_kept
        return Members(current: entry + 1, end: isOpen ? entry + Int(entry.pointee.next) : entry + 1)
    }

    struct Members: Sequence, IteratorProtocol {
        fileprivate var current: UnsafePointer<sl_value>
        fileprivate let end: UnsafePointer<sl_value>

        @inline(__always) mutating func next() -> JSONValue? {
            guard current < end else { return nil }
            defer { current += Int(current.pointee.next) }
            return JSONValue(current)
        }
    }
}
