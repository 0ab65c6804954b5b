import CFaultSimulation
import CRdKafka
import Kafka
import Support

/// Queues a record; `sl_produced` has the arguments of `rd_kafka_producev`.
@_cdecl("sl_simulated_produce")
func simulatedProduce(_ client: OpaquePointer, _ produced: UnsafePointer<sl_produced>) -> rd_kafka_resp_err_t {
    let client = KafkaSimulatedClient.of(client)
    let record = produced.pointee
    guard !client.isGone, let producer = client.producer else {
        // A killed process believes that its records are queued.
        if let headers = record.headers { rd_kafka_headers_destroy(headers) }
        return RD_KAFKA_RESP_ERR_NO_ERROR
    }
    precondition(record.partition >= 0, "The simulation has no partitioner; name the partition.")
    let name = TopicPartition(topic: ClientTopic.of(record.topic).name, partition: record.partition)
    let isQueued = producer.add(name, token: record.token) { sequence in
        LogRecord(
            key: ByteSlice(start: record.key, count: record.key_size),
            value: record.value.map { ByteSlice(start: $0, count: record.value_size) }, timestamp: record.timestamp,
            headers: record.headers, sequence: sequence)
    }
    return isQueued ? RD_KAFKA_RESP_ERR_NO_ERROR : RD_KAFKA_RESP_ERR__QUEUE_FULL
}

@_cdecl("rd_kafka_outq_len")
func outstandingCount(_ client: OpaquePointer) -> Int32 {
    Int32(KafkaSimulatedClient.of(client).producer?.outstanding ?? 0)
}

/// Sends queued records without linger, and waits up to `milliseconds` for their acknowledgement.
@_cdecl("rd_kafka_flush")
func flush(_ client: OpaquePointer, _ milliseconds: Int32) -> rd_kafka_resp_err_t {
    let client = KafkaSimulatedClient.of(client)
    guard let producer = client.producer, !client.isGone else { return RD_KAFKA_RESP_ERR_NO_ERROR }
    producer.flush()
    if producer.outstanding > 0 { client.world.runningFiber?.wait(upTo: .milliseconds(Int(milliseconds))) }
    return producer.outstanding > 0 ? RD_KAFKA_RESP_ERR__TIMED_OUT : RD_KAFKA_RESP_ERR_NO_ERROR
}

/// Does nothing: the caller closes the producer next, which discards its queue.
@_cdecl("rd_kafka_purge")
func purge(_ client: OpaquePointer, _ flags: Int32) -> rd_kafka_resp_err_t { RD_KAFKA_RESP_ERR_NO_ERROR }
