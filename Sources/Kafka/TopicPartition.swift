/// One partition of one topic, by the topic's full name.
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

/// Where to start reading a partition.
package enum KafkaPosition: Hashable, Sendable {
    /// The oldest record that the broker still has.
    case beginning
    /// After the newest record.
    case end
    /// At this offset.
    case offset(Int64)
}

/// The offsets that a broker holds of a partition.
package struct KafkaOffsetRange: Hashable, Sendable {
    /// The oldest offset still there.
    package var low: Int64
    /// One more than the newest offset.
    ///
    /// Some brokers answer a query with less than that; what a fetch reports and the end-of-partition event are exact.
    package var high: Int64

    package init(low: Int64, high: Int64) {
        self.low = low
        self.high = high
    }
}
