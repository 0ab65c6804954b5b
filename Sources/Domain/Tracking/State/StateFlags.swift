/// Flags that stand before the fields they are of, while these fields are gone through.
struct StateFlags<Raw: FixedWidthInteger & BitwiseCopyable> {
    /// How many bytes stand before them.
    var place: Int
    /// The flags of the fields that these fields are among.
    var outer: UInt32
}
