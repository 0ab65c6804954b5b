/// What a group has committed of a partition.
package struct KafkaCommit: Hashable, Sendable {
    /// The offset of the next record to process.
    package var offset: Int64
    /// What the member that committed wrote beside the offset; empty where it wrote nothing.
    package var metadata: String

    package init(offset: Int64, metadata: String = "") {
        self.offset = offset
        self.metadata = metadata
    }
}
