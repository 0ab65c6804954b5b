/// Flags that stand before the fields they are of, while these fields are gone through.
package struct StateFlags<Raw: FixedWidthInteger & BitwiseCopyable> {
    /// How many bytes stand before them.
    package var place: Int
    /// The flags of the fields that these fields are among.
    package var outer: UInt32
}
