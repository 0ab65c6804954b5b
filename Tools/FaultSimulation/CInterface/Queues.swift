import CRdKafka
import Kafka

/// A queue handle of the C interface: a client and its queue.
final class QueueHandle {
    let client: KafkaSimulatedClient
    let queue: ClientQueue

    init(_ client: KafkaSimulatedClient, _ queue: ClientQueue) {
        self.client = client
        self.queue = queue
    }

    static func make(_ client: KafkaSimulatedClient, _ queue: ClientQueue) -> OpaquePointer {
        OpaquePointer(Unmanaged.passRetained(QueueHandle(client, queue)).toOpaque())
    }

    static func of(_ handle: OpaquePointer) -> QueueHandle {
        Unmanaged<QueueHandle>.fromOpaque(UnsafeRawPointer(handle)).takeUnretainedValue()
    }
}

@_cdecl("rd_kafka_poll_set_consumer")
func pollSetConsumer(_ client: OpaquePointer) -> rd_kafka_resp_err_t { RD_KAFKA_RESP_ERR_NO_ERROR }

@_cdecl("rd_kafka_queue_get_consumer")
func queueGetConsumer(_ handle: OpaquePointer) -> OpaquePointer? {
    let client = KafkaSimulatedClient.of(handle)
    return QueueHandle.make(client, client.queue)
}

@_cdecl("rd_kafka_queue_get_main")
func queueGetMain(_ handle: OpaquePointer) -> OpaquePointer? { queueGetConsumer(handle) }

@_cdecl("rd_kafka_queue_new")
func queueNew(_ handle: OpaquePointer) -> OpaquePointer? {
    QueueHandle.make(KafkaSimulatedClient.of(handle), ClientQueue())
}

@_cdecl("rd_kafka_queue_destroy")
func queueDestroy(_ handle: OpaquePointer) {
    Unmanaged<QueueHandle>.fromOpaque(UnsafeRawPointer(handle)).release()
}

/// Waits until the first message, then returns those that are there; calls callbacks meanwhile.
@_cdecl("rd_kafka_consume_batch_queue")
func consumeBatch(
    _ handle: OpaquePointer, _ milliseconds: Int32,
    _ messages: UnsafeMutablePointer<UnsafeMutablePointer<rd_kafka_message_t>?>, _ size: Int
) -> Int {
    let (client, queue) = (QueueHandle.of(handle).client, QueueHandle.of(handle).queue)
    let end = client.world.now + .milliseconds(Int(milliseconds))
    var count = 0
    client.membership?.handlePoll()
    while count < size {
        guard let item = queue.pop() else {
            if count > 0 || client.isGone { break }
            queue.filled.wait(upTo: end - client.world.now) { !queue.isEmpty }
            if queue.isEmpty { break }
            continue
        }
        if let message = client.serve(item) {
            messages[count] = message
            count += 1
        }
    }
    client.membership?.handlePoll()
    // The time that the worker needs for the records.
    if count > 1 {
        client.world.runningFiber?.wait(upTo: Int64(client.world.random.exponential(mean: 5_000)) * Int64(count))
    }
    return count
}

extension KafkaSimulatedClient {
    /// Handles an item of the consumer's queue; returns the message for the worker, if it is one.
    fileprivate func serve(_ item: ClientQueue.Item) -> UnsafeMutablePointer<rd_kafka_message_t>? {
        switch item {
        case .record(let partition, let version, let record):
            guard version == partition.version else { return nil }
            partition.queued -= 1
            partition.position = record.offset + 1
            fetch(partition)
            return Message.make(record, of: partition)
        case .end(let partition, let version, let offset):
            guard version == partition.version else { return nil }
            return Message.make(RD_KAFKA_RESP_ERR__PARTITION_EOF, of: partition, offset: offset)
        case .failure(let partition, let version, let error, let offset):
            guard version == partition.version else { return nil }
            return Message.make(error, of: partition, offset: offset)
        case .problem(let error): return Message.make(error, of: nil, offset: -1)
        case .rebalance(let code, let partitions):
            let list = PartitionList.make(partitions)
            configuration.rebalance?(handle, code, list, configuration.opaque)
            rd_kafka_topic_partition_list_destroy(list)
            return nil
        case .error(let code, let reason):
            reason.withCString {
                configuration.error?(handle, code.rawValue, $0, configuration.opaque)
            }
            return nil
        case .deliveries: return nil
        }
    }
}

/// Delivery reports or an error of a producer (`rd_kafka_event_t`).
final class ProducerEvent {
    let item: ClientQueue.Item
    private let message = UnsafeMutablePointer<rd_kafka_message_t>.allocate(capacity: 1)
    private var next = 0
    private let client: KafkaSimulatedClient

    init(_ item: ClientQueue.Item, _ client: KafkaSimulatedClient) {
        self.item = item
        self.client = client
    }

    deinit { message.deallocate() }

    func nextMessage() -> UnsafePointer<rd_kafka_message_t>? {
        guard case .deliveries(let deliveries) = item, next < deliveries.count else { return nil }
        let delivery = deliveries[next]
        next += 1
        client.producer?.countReported(1)
        var value = rd_kafka_message_t()
        value.err = delivery.error
        value.rkt = delivery.topic.handle
        value.partition = delivery.partition
        value.offset = delivery.offset
        value._private = delivery.token
        message.initialize(to: value)
        return UnsafePointer(message)
    }

    static func of(_ handle: OpaquePointer) -> ProducerEvent {
        Unmanaged<ProducerEvent>.fromOpaque(UnsafeRawPointer(handle)).takeUnretainedValue()
    }
}

@_cdecl("rd_kafka_queue_poll")
func queuePoll(_ handle: OpaquePointer, _ milliseconds: Int32) -> OpaquePointer? {
    let (client, queue) = (QueueHandle.of(handle).client, QueueHandle.of(handle).queue)
    if queue.isEmpty, milliseconds > 0, !client.isGone {
        queue.filled.wait(upTo: .milliseconds(Int(milliseconds))) { !queue.isEmpty }
    }
    guard !client.isGone, let item = queue.pop() else { return nil }
    return OpaquePointer(Unmanaged.passRetained(ProducerEvent(item, client)).toOpaque())
}

@_cdecl("rd_kafka_event_type")
func eventType(_ event: OpaquePointer) -> Int32 {
    switch ProducerEvent.of(event).item {
    case .deliveries: RD_KAFKA_EVENT_DR
    case .error, .problem, .record, .end, .failure, .rebalance: RD_KAFKA_EVENT_ERROR
    }
}

@_cdecl("rd_kafka_event_destroy")
func eventDestroy(_ event: OpaquePointer) {
    Unmanaged<ProducerEvent>.fromOpaque(UnsafeRawPointer(event)).release()
}

@_cdecl("rd_kafka_event_message_next")
func eventMessageNext(_ event: OpaquePointer) -> UnsafePointer<rd_kafka_message_t>? {
    ProducerEvent.of(event).nextMessage()
}

@_cdecl("rd_kafka_event_error")
func eventError(_ event: OpaquePointer) -> rd_kafka_resp_err_t {
    switch ProducerEvent.of(event).item {
    case .error(let error, _), .problem(let error): error
    case .deliveries, .record, .end, .failure, .rebalance: RD_KAFKA_RESP_ERR_NO_ERROR
    }
}

@_cdecl("rd_kafka_event_error_string")
func eventErrorText(_ event: OpaquePointer) -> UnsafePointer<CChar>? { rd_kafka_err2str(eventError(event)) }

@_cdecl("rd_kafka_event_error_is_fatal")
func eventErrorIsFatal(_ event: OpaquePointer) -> Int32 { 0 }

/// Calls callbacks only; the production code uses it to have errors reported.
@_cdecl("rd_kafka_poll")
func clientPoll(_ client: OpaquePointer, _ milliseconds: Int32) -> Int32 { 0 }
