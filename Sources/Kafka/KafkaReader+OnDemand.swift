import CRdKafka

extension KafkaReader {
    /// Starts to read more partitions, without affecting others.
    ///
    /// Fails if one of them is already being read. Do not combine with ``start(_:)``, which replaces all partitions.
    package func add(_ positions: [TopicPartition: KafkaPosition]) throws(KafkaError) {
        let list = KafkaOffsetList(capacity: positions.count)
        for (partition, position) in positions {
            list.add(partition, position: position)
            _ = index(of: partition.topic)
        }
        let error = rd_kafka_incremental_assign(handle, list.pointer)
        if let error = KafkaError(consuming: error, while: "Reading more partitions") { throw error }
    }

    /// Stops reading partitions, without affecting others; the next polls may still return prefetched records.
    package func remove(_ partitions: some Collection<TopicPartition>) throws(KafkaError) {
        let list = KafkaOffsetList(partitions)
        let error = rd_kafka_incremental_unassign(handle, list.pointer)
        if let error = KafkaError(consuming: error, while: "Removing partitions") { throw error }
    }
}
