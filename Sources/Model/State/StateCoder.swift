import Support

/// Walks over the fields of a state, writing or reading them.
///
/// A state lists its fields once for both directions, so that they cannot drift apart:
///
/// ```swift
/// mutating func code<Coder: StateCoder>(with coder: inout Coder) {
///     coder.code(Self.versions)
///     let flags = coder.beginFlags(UInt16.self)
///     coder.code(&recordedAt)
///     coder.code(&arrivesAt, near: recordedAt, bit: 0)
///     if coder.version >= 2 { coder.code(&promisedAt, near: recordedAt, bit: 1) }
///     coder.endFlags(flags)
/// }
/// ```
///
/// Numbers are little-endian, as on every machine this runs on. No field takes more than five quarters of its size in
/// memory, which is what ``StateWriter/maximumByteCount(of:count:)`` relies on.
package protocol StateCoder {
    /// Whether this coder reads, and so gives the fields new values.
    static var isReading: Bool { get }
    /// The version of the layout that is gone through, once the version has been coded.
    var version: UInt8 { get }
    /// The version of the layout, which stands before everything else; see ``StateVersions``.
    mutating func code(_ versions: StateVersions)
    /// Plain numbers as they lie in memory, of a type without gaps whose every pattern of bits is a value.
    mutating func code<Value: BitwiseCopyable>(plain value: inout Value)
    /// A number that mostly is small, in 1 to 10 bytes: seven bits per byte, low ones first, the sign lowest (zigzag).
    mutating func code(compact value: inout Int64)
    /// Length, then UTF-8.
    mutating func code(_ text: inout String)
    /// The elements of a list: all there are when writing, `count` of them when reading into an empty list.
    mutating func code<Element>(
        _ list: inout [Element], count: Int, initial: Element, _ fields: (inout Element, inout Self) -> Void)
    /// Begins fields with flags of their own, at most 32, which stand before them in a number of type `Raw`.
    mutating func beginFlags<Raw>(_ type: Raw.Type) -> StateFlags<Raw>
    /// Ends them, and continues with the flags from before.
    mutating func endFlags<Raw>(_ own: StateFlags<Raw>)
    /// A number of `width` bits among the flags: answers `value` when writing, and what stands there when reading.
    mutating func flag(_ value: @autoclosure () -> UInt8, bit: Int, width: Int) -> UInt8
    /// Refuses the state that is being read unless `condition` holds; does nothing when writing.
    mutating func require(_ condition: Bool)
}

extension StateCoder {
    /// What must stand there, such as the plan that a progress belongs to.
    @inline(__always)
    package mutating func code<Value: BitwiseCopyable & Equatable>(constant value: Value) {
        var found = value
        code(plain: &found)
        require(found == value)
    }

    @inline(__always)
    package mutating func code<Value: FixedWidthInteger & BitwiseCopyable>(_ value: inout Value) { code(plain: &value) }

    @inline(__always)
    package mutating func code(_ value: inout Bool) {
        var byte: UInt8 = value ? 1 : 0
        code(&byte)
        if Self.isReading { value = byte != 0 }
    }

    package mutating func code<Value: RawRepresentable>(_ value: inout Value) where Value.RawValue == UInt8 {
        var raw = value.rawValue
        code(&raw)
        take(raw, into: &value)
    }

    private mutating func take<Value: RawRepresentable>(_ raw: Value.RawValue, into value: inout Value) {
        let found = Value(rawValue: raw)
        require(found != nil)
        value = found ?? value
    }

    /// A number of 32 or 64 bits; of narrower ones the compact form may take more than five quarters.
    @inline(__always)
    package mutating func code<Value: FixedWidthInteger>(compact value: inout Value) {
        var wide = Int64(truncatingIfNeeded: value)
        code(compact: &wide)
        if Self.isReading { value = Value(truncatingIfNeeded: wide) }
    }

    // MARK: Checked numbers
    // States are calculated with, so what no state holds is refused: times of other millennia, numbers beyond all
    // distances, speeds and seconds, and places that are not on the earth, which no reader of an output takes.

    @inline(__always)
    package mutating func code<Value: BinaryFloatingPoint & BitwiseCopyable>(_ value: inout Value) {
        code(plain: &value)
        require(abs(value) <= 1e12)
    }

    @inline(__always)
    package mutating func code(_ value: inout Coordinate) {
        code(plain: &value.latitude)
        code(plain: &value.longitude)
        require(abs(value.latitude) <= 90 && abs(value.longitude) <= 180)
    }

    @inline(__always)
    package mutating func code(_ value: inout Timestamp) {
        code(&value.milliseconds)
        require(value.isReadable)
    }

    // MARK: Distances

    /// A time that mostly is near `base`.
    package mutating func code(_ value: inout Timestamp, near base: Timestamp) {
        code(&value.milliseconds, near: base.milliseconds)
        require(value.isReadable)
    }

    /// A number that mostly is near `base`.
    @inline(__always)
    package mutating func code(_ value: inout Int64, near base: Int64) {
        var distance = value &- base
        code(compact: &distance)
        if Self.isReading { value = base &+ distance }
    }

    /// A time that mostly is near `base`, in milliseconds.
    @inline(__always)
    package mutating func code(_ value: inout ShortTime, near base: Int64) {
        var distance = Int64(Int32(bitPattern: value.bits &- UInt32(truncatingIfNeeded: base)))
        code(compact: &distance)
        guard Self.isReading else { return }
        value.bits = UInt32(truncatingIfNeeded: base) &+ UInt32(truncatingIfNeeded: distance)
    }

    // MARK: Flags and what depends on them

    @inline(__always)
    package mutating func flag(_ value: @autoclosure () -> Bool, bit: Int) -> Bool {
        flag(value() ? 1 : 0, bit: bit, width: 1) != 0
    }

    @inline(__always)
    package mutating func code(_ value: inout Bool, bit: Int) { value = flag(value, bit: bit) }

    /// One of at most four values, in two bits.
    package mutating func code<Value: RawRepresentable>(_ value: inout Value, bits bit: Int)
    where Value.RawValue == UInt8 {
        take(flag(value.rawValue, bit: bit, width: 2), into: &value)
    }

    /// A group of fields, left out while it equals `initial`.
    @inline(__always)
    package mutating func code<Group: Equatable>(
        group: inout Group, bit: Int, initial: Group, _ fields: (inout Group, inout Self) -> Void
    ) {
        guard flag(group != initial, bit: bit) else { return }
        fields(&group, &self)
    }

    /// A group of plain numbers without gaps between them, as they lie in memory.
    @inline(__always)
    package mutating func code<Group: Equatable & BitwiseCopyable>(group: inout Group, bit: Int, initial: Group) {
        code(group: &group, bit: bit, initial: initial) { $1.code(plain: &$0) }
    }

    /// What may be missing; when reading, the fields are read into a copy of `initial`.
    package mutating func code<Value>(
        _ value: inout Value?, bit: Int, initial: Value, _ fields: (inout Value, inout Self) -> Void
    ) {
        guard flag(value != nil, bit: bit) else { return }
        var known = value ?? initial
        fields(&known, &self)
        if Self.isReading { value = known }
    }

    package mutating func code(_ value: inout Double?, bit: Int) { code(&value, bit: bit, initial: 0) { $1.code(&$0) } }

    package mutating func code<Value: FixedWidthInteger>(compact value: inout Value?, bit: Int) {
        code(&value, bit: bit, initial: 0) { $1.code(compact: &$0) }
    }

    package mutating func code(_ value: inout Timestamp?, near base: Timestamp, bit: Int) {
        code(&value, bit: bit, initial: base) { $1.code(&$0, near: base) }
    }

    /// A list of at most 255, and its count, left out while it is empty.
    package mutating func code<Element>(
        _ list: inout [Element], bit: Int, initial: Element, _ fields: (inout Element, inout Self) -> Void
    ) {
        guard flag(!list.isEmpty, bit: bit) else { return }
        var count = UInt8(truncatingIfNeeded: list.count)
        code(&count)
        code(&list, count: Int(count), initial: initial, fields)
    }
}
