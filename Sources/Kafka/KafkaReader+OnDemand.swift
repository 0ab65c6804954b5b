import CRdKafka

/// Reading partitions that come and go while others are read.
extension KafkaReader {
    /// Reads `positions` as well; what is already being read continues undisturbed.
    ///
    /// None of the partitions may be read already: the library would refuse them all. Not together with
    /// ``start(_:)``, which names all partitions there are.
    package func add(_ positions: [TopicPartition: KafkaPosition]) throws(KafkaError) {
        let list = KafkaOffsetList(capacity: positions.count)
        for (partition, position) in positions {
            list.add(partition, position: position)
            _ = index(of: partition.topic)
        }
        let error = rd_kafka_incremental_assign(handle, list.pointer)
        if let error = KafkaError(consuming: error, while: "Reading more partitions") { throw error }
    }

    /// Reads `partitions` no longer; the others continue undisturbed.
    ///
    /// Records that were fetched before may still come with the next polls.
    package func remove(_ partitions: some Collection<TopicPartition>) throws(KafkaError) {
        let list = KafkaOffsetList(partitions)
        let error = rd_kafka_incremental_unassign(handle, list.pointer)
        if let error = KafkaError(consuming: error, while: "Giving up partitions") { throw error }
    }
}
