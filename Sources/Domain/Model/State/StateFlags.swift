/// Position of a flags word, and the enclosing flags, while its fields are coded.
package struct StateFlags<Raw: FixedWidthInteger & BitwiseCopyable> {
    /// Byte offset of the flags word.
    package var place: Int
    /// The flags of the enclosing group.
    package var outer: UInt32
}
