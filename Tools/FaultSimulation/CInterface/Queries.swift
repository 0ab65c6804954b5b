import CRdKafka
import Glibc
import Kafka

/// Sets the committed offset and metadata of each partition.
@_cdecl("rd_kafka_committed")
func committed(
    _ client: OpaquePointer, _ list: UnsafeMutablePointer<rd_kafka_topic_partition_list_t>?, _ milliseconds: Int32
) -> rd_kafka_resp_err_t {
    let client = KafkaSimulatedClient.of(client)
    let names = PartitionList.names(list)
    let group = client.configuration.text("group.id")
    let result: [KafkaCommit?]? = client.ask(timeout: .milliseconds(Int(milliseconds))) { log, respond in
        respond(names.map { log.group(group).committed($0) })
    }
    guard let result else { return RD_KAFKA_RESP_ERR__TIMED_OUT }
    for (entry, commit) in zip(PartitionList.entries(list), result) {
        entry.pointee.offset = commit?.offset ?? Int64(RD_KAFKA_OFFSET_INVALID)
        guard let metadata = commit?.metadata, !metadata.isEmpty else { continue }
        // The list frees the metadata.
        entry.pointee.metadata = UnsafeMutableRawPointer(strdup(metadata))
        entry.pointee.metadata_size = metadata.utf8.count
    }
    return RD_KAFKA_RESP_ERR_NO_ERROR
}

@_cdecl("rd_kafka_query_watermark_offsets")
func queryWatermarks(
    _ client: OpaquePointer, _ topic: UnsafePointer<CChar>, _ partition: Int32, _ low: UnsafeMutablePointer<Int64>,
    _ high: UnsafeMutablePointer<Int64>, _ milliseconds: Int32
) -> rd_kafka_resp_err_t {
    let name = TopicPartition(topic: String(cString: topic), partition: partition)
    let range: OffsetRange?? = KafkaSimulatedClient.of(client).ask(timeout: .milliseconds(Int(milliseconds))) {
        log, respond in
        respond(log.partition(name).map { OffsetRange(low: $0.low, high: $0.highWatermark) })
    }
    guard let range else { return RD_KAFKA_RESP_ERR__TIMED_OUT }
    guard let range else { return RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART }
    (low.pointee, high.pointee) = (range.low, range.high)
    return RD_KAFKA_RESP_ERR_NO_ERROR
}

@_cdecl("rd_kafka_get_watermark_offsets")
func cachedWatermarks(
    _ client: OpaquePointer, _ topic: UnsafePointer<CChar>, _ partition: Int32, _ low: UnsafeMutablePointer<Int64>,
    _ high: UnsafeMutablePointer<Int64>
) -> rd_kafka_resp_err_t {
    let name = TopicPartition(topic: String(cString: topic), partition: partition)
    guard let range = KafkaSimulatedClient.of(client).ranges[name] else { return RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION }
    (low.pointee, high.pointee) = (range.low, range.high)
    return RD_KAFKA_RESP_ERR_NO_ERROR
}

/// Replaces each partition's time by its first offset at or after the time, or by its end.
@_cdecl("rd_kafka_offsets_for_times")
func offsetsForTimes(
    _ client: OpaquePointer, _ list: UnsafeMutablePointer<rd_kafka_topic_partition_list_t>?, _ milliseconds: Int32
) -> rd_kafka_resp_err_t {
    let requests = PartitionList.entries(list).map { (PartitionList.name(of: $0), $0.pointee.offset) }
    let result: [Int64?]? = KafkaSimulatedClient.of(client).ask(timeout: .milliseconds(Int(milliseconds))) {
        log, respond in
        respond(
            requests.map { name, time in
                guard let partition = log.partition(name) else { return nil }
                switch Int32(clamping: time) {
                case RD_KAFKA_OFFSET_BEGINNING: return partition.low
                case RD_KAFKA_OFFSET_END: return partition.highWatermark
                default: return partition.offset(atOrAfter: time) ?? Int64(RD_KAFKA_OFFSET_END)
                }
            })
    }
    guard let result else { return RD_KAFKA_RESP_ERR__TIMED_OUT }
    for (entry, offset) in zip(PartitionList.entries(list), result) {
        entry.pointee.err = offset == nil ? RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART : RD_KAFKA_RESP_ERR_NO_ERROR
        entry.pointee.offset = offset ?? -1
    }
    return RD_KAFKA_RESP_ERR_NO_ERROR
}

/// Returns the partition count of one topic.
@_cdecl("rd_kafka_metadata")
func metadata(
    _ client: OpaquePointer, _ all: Int32, _ topic: OpaquePointer?,
    _ answer: UnsafeMutablePointer<UnsafePointer<rd_kafka_metadata>?>, _ milliseconds: Int32
) -> rd_kafka_resp_err_t {
    guard let topic else { return RD_KAFKA_RESP_ERR__NOT_IMPLEMENTED }
    let name = ClientTopic.of(topic).name
    let count: Int?? = KafkaSimulatedClient.of(client).ask(timeout: .milliseconds(Int(milliseconds))) { log, respond in
        respond(log.partitionCount(of: name))
    }
    guard let count else { return RD_KAFKA_RESP_ERR__TRANSPORT }
    answer.pointee = UnsafePointer(Metadata.make(name, partitions: count))
    return RD_KAFKA_RESP_ERR_NO_ERROR
}

@_cdecl("rd_kafka_metadata_destroy")
func metadataDestroy(_ answer: UnsafePointer<rd_kafka_metadata>) {
    Metadata.destroy(UnsafeMutablePointer(mutating: answer))
}

/// Descriptions of one topic in librdkafka's structures.
private enum Metadata {
    static func make(_ name: String, partitions: Int?) -> UnsafeMutablePointer<rd_kafka_metadata> {
        let count = partitions ?? 0
        let list = UnsafeMutablePointer<rd_kafka_metadata_partition>.allocate(capacity: max(1, count))
        for index in 0..<count {
            var entry = rd_kafka_metadata_partition()
            entry.id = Int32(index)
            entry.replica_cnt = 2
            (list + index).initialize(to: entry)
        }
        var topic = rd_kafka_metadata_topic()
        topic.topic = strdup(name)
        topic.partition_cnt = Int32(count)
        topic.partitions = list
        topic.err = partitions == nil ? RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART : RD_KAFKA_RESP_ERR_NO_ERROR
        let topics = UnsafeMutablePointer<rd_kafka_metadata_topic>.allocate(capacity: 1)
        topics.initialize(to: topic)
        var value = rd_kafka_metadata()
        value.topic_cnt = 1
        value.topics = topics
        let result = UnsafeMutablePointer<rd_kafka_metadata>.allocate(capacity: 1)
        result.initialize(to: value)
        return result
    }

    static func destroy(_ answer: UnsafeMutablePointer<rd_kafka_metadata>) {
        free(answer.pointee.topics.pointee.topic)
        answer.pointee.topics.pointee.partitions.deallocate()
        answer.pointee.topics.deallocate()
        answer.deallocate()
    }
}
