import Support

/// Encoder or decoder of the fields of a state.
///
/// A state lists its fields once for both directions:
///
/// ```swift
/// mutating func code<Coder: StateCoder>(with coder: inout Coder) {
///     coder.code(Self.versions)
///     let flags = coder.beginFlags(UInt16.self)
///     coder.code(&recordedAt)
///     coder.code(&arrivesAt, near: recordedAt, bit: 0)
///     if coder.version >= 2 { coder.code(&departedAt, near: recordedAt, bit: 1) }
///     coder.endFlags(flags)
/// }
/// ```
///
/// Numbers are little-endian. No field is encoded in more than 5/4 of its size in memory, on which
/// ``StateWriter/maximumByteCount(of:count:)`` relies.
package protocol StateCoder {
    /// Whether this coder decodes and therefore assigns the fields.
    static var isReading: Bool { get }
    /// The layout version of the state; valid once the version is coded.
    var version: UInt8 { get }
    /// Codes the layout version, which comes first; see ``StateVersions``.
    mutating func code(_ versions: StateVersions)
    /// Codes the bytes of a type without padding for which every bit pattern is valid.
    mutating func code<Value: BitwiseCopyable>(plain value: inout Value)
    /// Codes a number in 1 to 10 bytes, fewer for small numbers: zigzag varint, low bits first.
    mutating func code(compact value: inout Int64)
    /// Codes a text as its length and UTF-8 bytes.
    mutating func code(_ text: inout String)
    /// Codes the elements of a list: all when writing, `count` when reading into an empty list.
    mutating func code<Element>(
        _ list: inout [Element], count: Int, initial: Element, _ fields: (inout Element, inout Self) -> Void)
    /// Begins a group of fields with its own flags, up to 32, which are stored before the group as a `Raw`.
    mutating func beginFlags<Raw>(_ type: Raw.Type) -> StateFlags<Raw>
    /// Ends the group and continues with the enclosing flags.
    mutating func endFlags<Raw>(_ own: StateFlags<Raw>)
    /// Codes `width` bits among the flags: returns `value` when writing, the stored bits when reading.
    mutating func flag(_ value: @autoclosure () -> UInt8, bit: Int, width: Int) -> UInt8
    /// Marks a state that is read as damaged if `condition` is false.
    mutating func require(_ condition: Bool)
}

extension StateCoder {
    /// Codes a value that must be equal when read, such as the fingerprint of a trip's plan.
    @inline(__always) package mutating func code<Value: BitwiseCopyable & Equatable>(constant value: Value) {
        var stored = value
        code(plain: &stored)
        require(stored == value)
    }

    @inline(__always)
    package mutating func code<Value: FixedWidthInteger & BitwiseCopyable>(_ value: inout Value) { code(plain: &value) }

    @inline(__always) package mutating func code(_ value: inout Bool) {
        var byte: UInt8 = value ? 1 : 0
        code(&byte)
        if Self.isReading { value = byte != 0 }
    }

    package mutating func code<Value: RawRepresentable>(_ value: inout Value) where Value.RawValue == UInt8 {
        var raw = value.rawValue
        code(&raw)
        assign(raw, to: &value)
    }

    private mutating func assign<Value: RawRepresentable>(_ raw: Value.RawValue, to value: inout Value) {
        let decoded = Value(rawValue: raw)
        require(decoded != nil)
        value = decoded ?? value
    }

    /// Codes a number of 32 or 64 bits; the compact encoding of narrower numbers may exceed 5/4 of their size.
    @inline(__always) package mutating func code<Value: FixedWidthInteger>(compact value: inout Value) {
        var wide = Int64(truncatingIfNeeded: value)
        code(compact: &wide)
        if Self.isReading { value = Value(truncatingIfNeeded: wide) }
    }

    // MARK: Checked numbers
    // When reading, a value that no valid state has marks the state as damaged, because it would break calculations.

    @inline(__always) package mutating func code<Value: BinaryFloatingPoint & BitwiseCopyable>(_ value: inout Value) {
        code(plain: &value)
        require(abs(value) <= 1e12)
    }

    @inline(__always) package mutating func code(_ value: inout Coordinate) {
        code(plain: &value.latitude)
        code(plain: &value.longitude)
        require(abs(value.latitude) <= 90 && abs(value.longitude) <= 180)
    }

    @inline(__always) package mutating func code(_ value: inout Timestamp) {
        code(&value.milliseconds)
        require(value.isReadable)
    }

    // MARK: Differences

    /// Codes the difference to `base`.
    @inline(__always) package mutating func code(_ value: inout Timestamp, near base: Timestamp) {
        code(&value.milliseconds, near: base.milliseconds)
        require(value.isReadable)
    }

    /// Codes the difference to `base`.
    @inline(__always) package mutating func code(_ value: inout Int64, near base: Int64) {
        var distance = value &- base
        code(compact: &distance)
        if Self.isReading { value = base &+ distance }
    }

    /// Codes the difference to `base`, in milliseconds.
    @inline(__always) package mutating func code(_ value: inout ShortTime, near base: Int64) {
        var distance = Int64(Int32(bitPattern: value.bits &- UInt32(truncatingIfNeeded: base)))
        code(compact: &distance)
        guard Self.isReading else { return }
        value.bits = UInt32(truncatingIfNeeded: base) &+ UInt32(truncatingIfNeeded: distance)
    }

    // MARK: Flags and optional fields

    @inline(__always) package mutating func flag(_ value: @autoclosure () -> Bool, bit: Int) -> Bool {
        flag(value() ? 1 : 0, bit: bit, width: 1) != 0
    }

    @inline(__always) package mutating func code(_ value: inout Bool, bit: Int) { value = flag(value, bit: bit) }

    /// Codes one of up to four values in two bits.
    package mutating func code<Value: RawRepresentable>(_ value: inout Value, bits bit: Int)
    where Value.RawValue == UInt8 {
        assign(flag(value.rawValue, bit: bit, width: 2), to: &value)
    }

    /// Codes a group of fields, omitted if it equals `initial`.
    @inline(__always) package mutating func code<Group: Equatable>(
        group: inout Group, bit: Int, initial: Group, _ fields: (inout Group, inout Self) -> Void
    ) {
        guard flag(group != initial, bit: bit) else { return }
        fields(&group, &self)
    }

    /// Codes a group without padding as its bytes in memory, omitted if it equals `initial`.
    @inline(__always)
    package mutating func code<Group: Equatable & BitwiseCopyable>(group: inout Group, bit: Int, initial: Group) {
        code(group: &group, bit: bit, initial: initial) { $1.code(plain: &$0) }
    }

    /// Codes an optional value; when reading, fields are read into a copy of `initial`.
    package mutating func code<Value>(
        _ value: inout Value?, bit: Int, initial: Value, _ fields: (inout Value, inout Self) -> Void
    ) {
        guard flag(value != nil, bit: bit) else { return }
        var wrapped = value ?? initial
        fields(&wrapped, &self)
        if Self.isReading { value = wrapped }
    }

    package mutating func code(_ value: inout Double?, bit: Int) { code(&value, bit: bit, initial: 0) { $1.code(&$0) } }

    package mutating func code<Value: FixedWidthInteger>(compact value: inout Value?, bit: Int) {
        code(&value, bit: bit, initial: 0) { $1.code(compact: &$0) }
    }

    package mutating func code(_ value: inout Timestamp?, near base: Timestamp, bit: Int) {
        code(&value, bit: bit, initial: base) { $1.code(&$0, near: base) }
    }

    /// Codes a list of up to 255 elements with its count, omitted if empty.
    package mutating func code<Element>(
        _ list: inout [Element], bit: Int, initial: Element, _ fields: (inout Element, inout Self) -> Void
    ) {
        guard flag(!list.isEmpty, bit: bit) else { return }
        var count = UInt8(truncatingIfNeeded: list.count)
        code(&count)
        code(&list, count: Int(count), initial: initial, fields)
    }
}

/// Position of a group's flags, and the enclosing flags, while the group's fields are coded.
package struct StateFlags<Raw: FixedWidthInteger & BitwiseCopyable> {
    /// Byte offset of the group's flags.
    package var offset: Int
    package var outer: UInt32
}
