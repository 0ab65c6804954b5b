/// Committed offset of a group, with its metadata.
package struct KafkaCommit: Hashable, Sendable {
    /// The offset of the next record to process.
    package var offset: Int64
    /// Empty for none.
    package var metadata: String

    package init(offset: Int64, metadata: String = "") {
        self.offset = offset
        self.metadata = metadata
    }
}
