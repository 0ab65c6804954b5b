import CRdKafka

/// Indices of one client's topics, by the address of librdkafka's topic object; used on one thread.
final class KafkaTopicTable {
    private(set) var names: [String]
    /// References to librdkafka's topic objects, so that their addresses remain in use.
    private var handles: [OpaquePointer?]
    private let client: OpaquePointer
    private var lastHandle: OpaquePointer?
    private var lastIndex = 0

    init(client: OpaquePointer, names: [String]) {
        self.client = client
        self.names = names
        handles = names.map { rd_kafka_topic_new(client, $0, nil) }
    }

    /// Destroys the handles; call before the client is destroyed.
    func close() {
        for handle in handles { if let handle { rd_kafka_topic_destroy(handle) } }
        handles = handles.map { _ in nil }
        lastHandle = nil
    }

    @inline(__always)
    func index(of topic: OpaquePointer?) -> Int {
        if topic == lastHandle, topic != nil { return lastIndex }
        return search(topic)
    }

    /// Returns the index of a name, which is added if it is new.
    func insert(_ name: String) -> Int {
        if let known = names.firstIndex(of: name) { return known }
        names.append(name)
        handles.append(rd_kafka_topic_new(client, name, nil))
        return names.count - 1
    }

    private func search(_ topic: OpaquePointer?) -> Int {
        guard let topic else { preconditionFailure("The client library returned a message without a topic.") }
        let index = handles.firstIndex(of: topic) ?? insert(String(cString: rd_kafka_topic_name(topic)))
        // Only addresses of objects in `handles` may be cached, because others may be reused.
        if handles[index] == topic {
            lastHandle = topic
            lastIndex = index
        }
        return index
    }
}
