import CRdKafka
import Support

/// Client that administers topics and groups; calls block, and must all be made on one thread.
package final class KafkaAdmin {
    package let client: KafkaClient
    private static let timeoutMilliseconds = 15_000

    package init(_ configuration: KafkaConfiguration, log: @escaping KafkaLogHandler) throws(KafkaError) {
        client = try KafkaClient(RD_KAFKA_PRODUCER, configuration, properties: [], log: log)
    }

    package struct NewTopic: Sendable {
        package var name: String
        package var partitions: Int
        /// Replication factor, at least 1; -1 for the broker's default.
        package var replication: Int
        /// Topic settings (`retention.ms`, `cleanup.policy`, …).
        package var settings: [String: String]

        package init(name: String, partitions: Int, replication: Int = -1, settings: [String: String] = [:]) {
            self.name = name
            self.partitions = partitions
            self.replication = replication
            self.settings = settings
        }
    }

    /// Returns, for each topic, the smallest number of replicas of a partition; missing topics are absent.
    package func replicaCounts(of topics: [String]) throws(KafkaError) -> [String: Int] {
        do {
            return try client.layouts(of: topics, Self.timeoutMilliseconds).mapValues(\.replicas)
        } catch {
            throw client.explained(error)
        }
    }

    /// Creates missing topics and returns their names; existing topics are not changed.
    package func create(_ topics: [NewTopic]) throws(KafkaError) -> [String] {
        guard !topics.isEmpty else { return [] }
        var requests: [OpaquePointer?] = []
        defer { for request in requests { rd_kafka_NewTopic_destroy(request) } }
        for topic in topics { requests.append(try request(for: topic)) }
        return try perform(
            RD_KAFKA_ADMIN_OP_CREATETOPICS, "Creating topic", needs: .create,
            allowing: RD_KAFKA_RESP_ERR_TOPIC_ALREADY_EXISTS
        ) { options, queue in
            rd_kafka_CreateTopics(client.handle, &requests, requests.count, options, queue)
        } results: { event, count in
            rd_kafka_CreateTopics_result_topics(rd_kafka_event_CreateTopics_result(event), count)
        }
    }

    /// Deletes topics and returns their names; ignores missing topics.
    package func delete(_ topics: [String]) throws(KafkaError) -> [String] {
        guard !topics.isEmpty else { return [] }
        var requests: [OpaquePointer?] = topics.map { rd_kafka_DeleteTopic_new($0) }
        defer { for request in requests { rd_kafka_DeleteTopic_destroy(request) } }
        return try perform(
            RD_KAFKA_ADMIN_OP_DELETETOPICS, "Deleting topic", needs: .delete,
            allowing: RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART
        ) { options, queue in
            rd_kafka_DeleteTopics(client.handle, &requests, requests.count, options, queue)
        } results: { event, count in
            rd_kafka_DeleteTopics_result_topics(rd_kafka_event_DeleteTopics_result(event), count)
        }
    }

    /// Returns each partition's first offset at or after `time`, if there is one.
    package func offsets(of partitions: [TopicPartition], atOrAfter time: Timestamp) throws(KafkaError)
        -> [TopicPartition: Int64]
    {
        try offsets(of: partitions, atOrAfter: { _ in time })
    }

    private func request(for topic: NewTopic) throws(KafkaError) -> OpaquePointer {
        var text = [CChar](repeating: 0, count: 512)
        guard
            let request = rd_kafka_NewTopic_new(
                topic.name, Int32(clamping: topic.partitions), Int32(clamping: topic.replication), &text, text.count)
        else {
            throw KafkaError(
                .configuration,
                "Topic \(topic.name) cannot be created: \(text.withUnsafeBufferPointer(KafkaClientContext.text)).")
        }
        for (name, value) in topic.settings.sorted(by: { $0.key < $1.key }) {
            rd_kafka_NewTopic_set_config(request, name, value)
        }
        return request
    }

    /// Sends an admin request about topics and returns the names of those without an error.
    ///
    /// `action`: start of error messages. `tolerated`: the error to ignore.
    private func perform(
        _ operation: rd_kafka_admin_op_t, _ action: String, needs right: KafkaRight.Operation,
        allowing tolerated: rd_kafka_resp_err_t,
        _ send: (OpaquePointer?, OpaquePointer?) -> Void,
        results: (OpaquePointer, UnsafeMutablePointer<Int>) -> UnsafeMutablePointer<OpaquePointer?>?
    ) throws(KafkaError) -> [String] {
        try answer(operation, "\(action)s", send) { (event) throws(KafkaError) in
            var count = 0
            guard let list = results(event, &count) else { return [] }
            var done: [String] = []
            for result in UnsafeBufferPointer(start: list, count: count) {
                let name = String(cString: rd_kafka_topic_result_name(result))
                switch rd_kafka_topic_result_error(result) {
                case RD_KAFKA_RESP_ERR_NO_ERROR: done.append(name)
                case tolerated: continue
                case let error:
                    throw KafkaError(
                        error, while: "\(action) \(name)",
                        detail: rd_kafka_topic_result_error_string(result).map { String(cString: $0) },
                        needs: [KafkaRight(right, on: .topic, name)])
                }
            }
            return done
        }
    }

    /// Sends an admin request and passes the response to `body`.
    func answer<Result>(
        _ operation: rd_kafka_admin_op_t, _ action: String, timeoutMilliseconds: Int = KafkaAdmin.timeoutMilliseconds,
        _ send: (OpaquePointer?, OpaquePointer?) -> Void, _ body: (OpaquePointer) throws(KafkaError) -> Result
    ) throws(KafkaError) -> Result {
        let options = rd_kafka_AdminOptions_new(client.handle, operation)
        let queue = rd_kafka_queue_new(client.handle)
        defer {
            rd_kafka_queue_destroy(queue)
            rd_kafka_AdminOptions_destroy(options)
        }
        var text = [CChar](repeating: 0, count: 256)
        rd_kafka_AdminOptions_set_request_timeout(options, Int32(clamping: timeoutMilliseconds), &text, text.count)
        rd_kafka_AdminOptions_set_operation_timeout(options, Int32(clamping: timeoutMilliseconds), &text, text.count)
        send(options, queue)
        guard let event = rd_kafka_queue_poll(queue, Int32(clamping: timeoutMilliseconds + 2000)) else {
            throw KafkaError(.timedOut, "\(action) failed: no broker answered in time.", isRetriable: true)
        }
        defer { rd_kafka_event_destroy(event) }
        let error = rd_kafka_event_error(event)
        guard error == RD_KAFKA_RESP_ERR_NO_ERROR else {
            throw KafkaError(
                error, while: action, detail: rd_kafka_event_error_string(event).map { String(cString: $0) })
        }
        return try body(event)
    }
}
