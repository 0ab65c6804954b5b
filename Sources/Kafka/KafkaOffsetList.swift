import CRdKafka
import Glibc

/// Owner of a partition list of librdkafka.
struct KafkaOffsetList: ~Copyable {
    let pointer: UnsafeMutablePointer<rd_kafka_topic_partition_list_t>

    init(capacity: Int) { pointer = rd_kafka_topic_partition_list_new(Int32(capacity)) }

    init(_ partitions: some Collection<TopicPartition>) {
        self.init(capacity: partitions.count)
        for partition in partitions { add(partition) }
    }

    init(_ positions: [TopicPartition: KafkaPosition]) {
        self.init(capacity: positions.count)
        for (partition, position) in positions { add(partition, offset: position.libraryOffset) }
    }

    init(owning pointer: UnsafeMutablePointer<rd_kafka_topic_partition_list_t>) { self.pointer = pointer }

    deinit { rd_kafka_topic_partition_list_destroy(pointer) }

    var count: Int { Int(pointer.pointee.cnt) }

    subscript(index: Int) -> rd_kafka_topic_partition_t {
        precondition(index >= 0 && index < count, "The index is outside the list.")
        return pointer.pointee.elems[index]
    }

    /// Adds a partition with an offset in librdkafka's encoding, and with metadata to commit; empty for none.
    func add(_ partition: TopicPartition, offset: Int64 = Int64(RD_KAFKA_OFFSET_INVALID), metadata: String = "") {
        let entry = rd_kafka_topic_partition_list_add(pointer, partition.topic, partition.partition)
        entry?.pointee.offset = offset
        guard !metadata.isEmpty else { return }
        // The list frees the metadata.
        entry?.pointee.metadata = UnsafeMutableRawPointer(strdup(metadata))
        entry?.pointee.metadata_size = metadata.utf8.count
    }

    static func partitions(of list: UnsafeMutablePointer<rd_kafka_topic_partition_list_t>) -> [TopicPartition] {
        (0..<Int(list.pointee.cnt)).map { index in
            let entry = list.pointee.elems[index]
            return TopicPartition(topic: String(cString: entry.topic), partition: entry.partition)
        }
    }

    /// Returns the offsets set by a request, with metadata; partitions with an error or no offset are absent.
    func commits() -> [TopicPartition: KafkaCommit] {
        var found: [TopicPartition: KafkaCommit] = [:]
        for index in 0..<count {
            let entry = self[index]
            guard entry.err == RD_KAFKA_RESP_ERR_NO_ERROR, entry.offset >= 0 else { continue }
            let metadata = UnsafeRawBufferPointer(start: entry.metadata, count: entry.metadata_size)
            found[TopicPartition(topic: String(cString: entry.topic), partition: entry.partition)] =
                KafkaCommit(offset: entry.offset, metadata: String(decoding: metadata, as: UTF8.self))
        }
        return found
    }

    /// Returns the offsets of ``commits()``, without metadata.
    func offsets() -> [TopicPartition: Int64] { commits().mapValues(\.offset) }

    /// Returns the error of the first failed entry.
    ///
    /// `operation`: the permission required on each topic.
    func firstError(while action: String, needs operation: KafkaRight.Operation = .read) -> KafkaError? {
        for index in 0..<count where self[index].err != RD_KAFKA_RESP_ERR_NO_ERROR {
            let entry = self[index]
            let topic = String(cString: entry.topic)
            return KafkaError(
                entry.err, while: "\(action) (\(topic)[\(entry.partition)])",
                needs: [KafkaRight(operation, on: .topic, topic)])
        }
        return nil
    }
}

extension KafkaPosition {
    var libraryOffset: Int64 {
        switch self {
        case .beginning: Int64(RD_KAFKA_OFFSET_BEGINNING)
        case .end: Int64(RD_KAFKA_OFFSET_END)
        case .offset(let offset): offset
        }
    }
}
