/// Partition of a topic, by the topic's full name.
package struct TopicPartition: Hashable, Sendable {
    package var topic: String
    package var partition: Int32

    package init(topic: String, partition: Int32) {
        self.topic = topic
        self.partition = partition
    }
}

extension TopicPartition: CustomStringConvertible {
    package var description: String { "\(topic)[\(partition)]" }
}

/// Start position in a partition.
package enum KafkaPosition: Hashable, Sendable {
    /// The oldest record.
    case beginning
    /// After the newest record.
    case end
    case offset(Int64)
}

package struct KafkaOffsetRange: Hashable, Sendable {
    /// The oldest offset.
    package var low: Int64
    /// One more than the newest offset.
    ///
    /// Some brokers report a lower value in queries; values of fetches and end-of-partition events are exact.
    package var high: Int64
}

/// Committed offset of a group, with its metadata.
package struct KafkaCommit: Hashable, Sendable {
    /// The offset of the next record to process.
    package var offset: Int64
    /// Metadata stored with the offset; empty for none.
    package var metadata: String

    package init(offset: Int64, metadata: String = "") {
        self.offset = offset
        self.metadata = metadata
    }
}
