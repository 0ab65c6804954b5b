import Support

/// Members that are left out when there is no value; `name` is written as it stands, with quotes, colon and comma.
extension JSONCursor {
    @inline(__always)
    mutating func member(_ name: StaticString, _ value: String?) {
        guard let value else { return }
        literal(name)
        text(value)
    }

    @inline(__always)
    mutating func member(_ name: StaticString, _ value: Timestamp?) {
        guard let value else { return }
        literal(name)
        timestamp(value)
    }

    @inline(__always)
    mutating func member(_ name: StaticString, _ value: Int64?) {
        guard let value else { return }
        literal(name)
        integer(value)
    }
}
