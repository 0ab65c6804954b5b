import CRdKafka
import Kafka

/// librdkafka's list of partitions.
enum PartitionList {
    static func make(_ names: [TopicPartition]) -> UnsafeMutablePointer<rd_kafka_topic_partition_list_t> {
        guard let list = rd_kafka_topic_partition_list_new(Int32(names.count)) else {
            preconditionFailure("The list could not be allocated.")
        }
        for name in names { rd_kafka_topic_partition_list_add(list, name.topic, name.partition) }
        return list
    }

    static func entries(
        _ list: UnsafePointer<rd_kafka_topic_partition_list_t>?
    ) -> [UnsafeMutablePointer<rd_kafka_topic_partition_t>] {
        guard let list, let elements = list.pointee.elems else { return [] }
        return (0..<Int(list.pointee.cnt)).map { elements + $0 }
    }

    static func names(_ list: UnsafePointer<rd_kafka_topic_partition_list_t>?) -> [TopicPartition] {
        entries(list).map { name(of: $0) }
    }

    /// Returns partitions with their offsets, in a fixed order.
    static func offsets(_ list: UnsafePointer<rd_kafka_topic_partition_list_t>?) -> [(TopicPartition, Int64)] {
        entries(list).map { (name(of: $0), $0.pointee.offset) }
            .sorted { ($0.0.topic, $0.0.partition) < ($1.0.topic, $1.0.partition) }
    }

    static func name(of entry: UnsafePointer<rd_kafka_topic_partition_t>) -> TopicPartition {
        TopicPartition(topic: String(cString: entry.pointee.topic), partition: entry.pointee.partition)
    }
}
