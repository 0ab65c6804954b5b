import CFaultSimulation
import CRdKafka
import Glibc
import Kafka

@_cdecl("rd_kafka_subscribe")
func subscribe(
    _ client: OpaquePointer, _ list: UnsafePointer<rd_kafka_topic_partition_list_t>?
) -> rd_kafka_resp_err_t {
    KafkaSimulatedClient.of(client).subscribe(PartitionList.names(list).map(\.topic))
    return RD_KAFKA_RESP_ERR_NO_ERROR
}

@_cdecl("rd_kafka_unsubscribe")
func unsubscribe(_ client: OpaquePointer) -> rd_kafka_resp_err_t { RD_KAFKA_RESP_ERR_NO_ERROR }

@_cdecl("rd_kafka_consumer_close")
func consumerClose(_ client: OpaquePointer) -> rd_kafka_resp_err_t {
    KafkaSimulatedClient.of(client).close(isLeaving: true)
    return RD_KAFKA_RESP_ERR_NO_ERROR
}

@_cdecl("rd_kafka_assign")
func assign(_ client: OpaquePointer, _ list: UnsafePointer<rd_kafka_topic_partition_list_t>?) -> rd_kafka_resp_err_t {
    let client = KafkaSimulatedClient.of(client)
    if !client.isGone { client.assign(PartitionList.offsets(list)) }
    return RD_KAFKA_RESP_ERR_NO_ERROR
}

@_cdecl("rd_kafka_incremental_assign")
func incrementalAssign(
    _ client: OpaquePointer, _ list: UnsafePointer<rd_kafka_topic_partition_list_t>?
) -> OpaquePointer? {
    let client = KafkaSimulatedClient.of(client)
    if client.isGone || client.incrementalAssign(PartitionList.offsets(list)) { return nil }
    return sl_make_error(RD_KAFKA_RESP_ERR__CONFLICT, "A partition is already assigned")
}

@_cdecl("rd_kafka_incremental_unassign")
func incrementalUnassign(
    _ client: OpaquePointer, _ list: UnsafePointer<rd_kafka_topic_partition_list_t>?
) -> OpaquePointer? {
    let client = KafkaSimulatedClient.of(client)
    if client.isGone || client.incrementalUnassign(PartitionList.names(list)) { return nil }
    return sl_make_error(RD_KAFKA_RESP_ERR__INVALID_ARG, "A partition is not assigned")
}

@_cdecl("rd_kafka_assignment_lost")
func assignmentLost(_ client: OpaquePointer) -> Int32 {
    KafkaSimulatedClient.of(client).membership?.isLost == true ? 1 : 0
}

private let cooperative: StaticString = "COOPERATIVE"
private let eager: StaticString = "EAGER"

@_cdecl("rd_kafka_rebalance_protocol")
func rebalanceProtocol(_ client: OpaquePointer) -> UnsafePointer<CChar>? {
    let isCooperative = KafkaSimulatedClient.of(client).membership?.isCooperative == true
    return UnsafeRawPointer((isCooperative ? cooperative : eager).utf8Start).assumingMemoryBound(to: CChar.self)
}

@_cdecl("rd_kafka_pause_partitions")
func pausePartitions(
    _ client: OpaquePointer, _ list: UnsafeMutablePointer<rd_kafka_topic_partition_list_t>?
) -> rd_kafka_resp_err_t {
    KafkaSimulatedClient.of(client).pause(PartitionList.names(list))
    return RD_KAFKA_RESP_ERR_NO_ERROR
}

@_cdecl("rd_kafka_resume_partitions")
func resumePartitions(
    _ client: OpaquePointer, _ list: UnsafeMutablePointer<rd_kafka_topic_partition_list_t>?
) -> rd_kafka_resp_err_t {
    KafkaSimulatedClient.of(client).resume(PartitionList.names(list))
    return RD_KAFKA_RESP_ERR_NO_ERROR
}

/// Sets the offset after the last polled record of each partition; an invalid offset before the first.
@_cdecl("rd_kafka_position")
func position(
    _ client: OpaquePointer, _ list: UnsafeMutablePointer<rd_kafka_topic_partition_list_t>?
) -> rd_kafka_resp_err_t {
    let client = KafkaSimulatedClient.of(client)
    for entry in PartitionList.entries(list) {
        entry.pointee.offset =
            client.fetched[PartitionList.name(of: entry)]?.position ?? Int64(RD_KAFKA_OFFSET_INVALID)
    }
    return RD_KAFKA_RESP_ERR_NO_ERROR
}

@_cdecl("rd_kafka_offsets_store")
func offsetsStore(
    _ client: OpaquePointer, _ list: UnsafeMutablePointer<rd_kafka_topic_partition_list_t>?
) -> rd_kafka_resp_err_t {
    let client = KafkaSimulatedClient.of(client)
    var result = RD_KAFKA_RESP_ERR_NO_ERROR
    for entry in PartitionList.entries(list) {
        guard let partition = client.fetched[PartitionList.name(of: entry)] else {
            result = RD_KAFKA_RESP_ERR__STATE
            continue
        }
        let metadata = UnsafeRawBufferPointer(start: entry.pointee.metadata, count: entry.pointee.metadata_size)
        partition.stored = KafkaCommit(
            offset: entry.pointee.offset, metadata: String(decoding: metadata, as: UTF8.self))
    }
    return result
}

@_cdecl("rd_kafka_commit")
func commit(
    _ client: OpaquePointer, _ list: UnsafePointer<rd_kafka_topic_partition_list_t>?, _ isAsynchronous: Int32
) -> rd_kafka_resp_err_t {
    let client = KafkaSimulatedClient.of(client)
    guard let membership = client.membership, !client.isGone else { return RD_KAFKA_RESP_ERR__STATE }
    let changed = client.sortedPartitions.filter { $0.stored != nil && $0.stored != $0.committed }
    guard !changed.isEmpty else { return RD_KAFKA_RESP_ERR__NO_OFFSET }
    let offsets = Dictionary(uniqueKeysWithValues: changed.compactMap { one in one.stored.map { (one.name, $0) } })
    var result: rd_kafka_resp_err_t?
    let answered = Signal()
    membership.commit(offsets) { error in
        result = error
        if error == RD_KAFKA_RESP_ERR_NO_ERROR { for one in changed { one.committed = offsets[one.name] } }
        answered.notify()
    }
    if isAsynchronous != 0 { return RD_KAFKA_RESP_ERR_NO_ERROR }
    answered.wait(upTo: .seconds(10)) { result != nil }
    return result ?? RD_KAFKA_RESP_ERR__TIMED_OUT
}
