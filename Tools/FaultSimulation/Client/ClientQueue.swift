import CRdKafka
import Glibc
import Kafka

/// A queue of a client from which the worker polls.
final class ClientQueue {
    enum Item {
        case record(FetchedPartition, version: Int, LogRecord)
        /// The end of a partition.
        case end(FetchedPartition, version: Int, Int64)
        /// A partition whose fetch failed at an offset.
        case failure(FetchedPartition, version: Int, rd_kafka_resp_err_t, Int64)
        case rebalance(rd_kafka_resp_err_t, [TopicPartition])
        /// An error for the error callback.
        case error(rd_kafka_resp_err_t, reason: String)
        /// An error that is polled like a record.
        case problem(rd_kafka_resp_err_t)
        case deliveries([Delivery])
    }

    /// Report about a produced record.
    struct Delivery {
        var topic: ClientTopic
        var partition: Int32
        var token: UnsafeMutableRawPointer?
        var offset: Int64
        var error: rd_kafka_resp_err_t
    }

    private var items: [Item] = []
    private var first = 0
    let filled = Signal()

    var isEmpty: Bool { first == items.count }

    func append(_ item: Item) {
        items.append(item)
        filled.notify()
    }

    func pop() -> Item? {
        guard first < items.count else { return nil }
        let item = items[first]
        first += 1
        if first == items.count {
            items.removeAll(keepingCapacity: true)
            first = 0
        }
        return item
    }

    /// Removes everything without effect.
    func removeAll() {
        items = []
        first = 0
    }
}

/// Handle of a topic (`rd_kafka_topic_t`); its address identifies the topic within its client.
final class ClientTopic {
    let name: String
    let text: UnsafeMutablePointer<CChar>?

    init(_ name: String) {
        self.name = name
        text = strdup(name)
    }

    deinit { free(text) }

    /// Pointer for the C interface; valid as long as the client.
    var handle: OpaquePointer { OpaquePointer(Unmanaged.passUnretained(self).toOpaque()) }

    static func of(_ handle: OpaquePointer) -> ClientTopic {
        Unmanaged<ClientTopic>.fromOpaque(UnsafeRawPointer(handle)).takeUnretainedValue()
    }
}
