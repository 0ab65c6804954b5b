import CRdKafka
import ChildProcesses
import Glibc
import Kafka
import Support

/// The mock Kafka cluster of librdkafka inside this process, which can inject faults and latencies.
///
/// It listens on TCP in its own thread and keeps at most 5 MB per partition.
package final class MockCluster {
    private let client: OpaquePointer
    private let cluster: OpaquePointer
    /// Sockets that reserve the ports of brokers that are down, by broker number.
    private var reservedPorts: [Int: Int32] = [:]

    /// Starts a cluster; brokers are numbered from 1.
    package init(brokers: Int = 1) throws(KafkaError) {
        var text = [CChar](repeating: 0, count: 256)
        let conf: OpaquePointer = rd_kafka_conf_new()
        rd_kafka_conf_set_log_cb(conf) { _, _, _, _ in }
        guard let client = rd_kafka_new(RD_KAFKA_PRODUCER, conf, &text, text.count) else {
            rd_kafka_conf_destroy(conf)
            throw KafkaError(.configuration, "Cannot create the client of the mock cluster.")
        }
        guard let cluster = rd_kafka_mock_cluster_new(client, Int32(brokers)) else {
            rd_kafka_destroy(client)
            throw KafkaError(.configuration, "The mock cluster did not start.")
        }
        self.client = client
        self.cluster = cluster
    }

    deinit {
        for socket in reservedPorts.values { close(socket) }
        rd_kafka_mock_cluster_destroy(cluster)
        rd_kafka_destroy(client)
    }

    package var configuration: KafkaConfiguration {
        KafkaConfiguration(bootstrapServers: bootstrapServers, clientID: "sightline-test")
    }

    package var bootstrapServers: String { String(cString: rd_kafka_mock_cluster_bootstraps(cluster)) }

    package func createTopic(_ name: String, partitions: Int) {
        rd_kafka_mock_topic_create(cluster, name, Int32(partitions), 1)
    }

    package func setLeader(of topic: String, partition: Int, broker: Int) {
        rd_kafka_mock_partition_set_leader(cluster, topic, Int32(partition), Int32(broker))
    }

    /// Makes a broker stop listening and close its connections.
    ///
    /// Reserves the broker's port, because the system could assign it to an outgoing connection. librdkafka aborts the
    /// process if the port is in use when the broker listens again.
    package func takeDown(broker: Int) {
        rd_kafka_mock_broker_set_down(cluster, Int32(broker))
        let servers = bootstrapServers.split(separator: ",")
        let port = servers[broker - 1].split(separator: ":").last.flatMap { UInt16($0) } ?? 0
        let deadline = ContinuousClock.now + .seconds(120)
        while reservedPorts[broker] == nil, ContinuousClock.now < deadline {
            reservedPorts[broker] = try? FreePort.reserve(port, isShared: true)
            if reservedPorts[broker] == nil { usleep(1000) }
        }
        precondition(reservedPorts[broker] != nil, "Port \(port) of the mock broker was in use for two minutes.")
    }

    /// Makes a broker listen again.
    package func bringUp(broker: Int) {
        rd_kafka_mock_broker_set_up(cluster, Int32(broker))
        if let socket = reservedPorts.removeValue(forKey: broker) { close(socket) }
    }

    /// Delays every response of a broker.
    package func setRoundTrip(broker: Int, milliseconds: Int) {
        rd_kafka_mock_broker_set_rtt(cluster, Int32(broker), Int32(milliseconds))
    }

    package func setCoordinator(ofGroup group: String, broker: Int) {
        rd_kafka_mock_coordinator_set(cluster, "group", group, Int32(broker))
    }

    /// Fails the next `count` requests of a kind to one broker.
    package func fail(_ request: Request, atBroker broker: Int, with fault: Fault, count: Int) {
        for _ in 0..<count { sl_mock_broker_fail(cluster, Int32(broker), request.rawValue, fault.code) }
    }

    /// Returns the number of failures of ``fail(_:atBroker:with:count:)`` that have not been sent yet.
    package func failuresLeft(_ request: Request, atBroker broker: Int) -> Int {
        var count = 0
        rd_kafka_mock_broker_error_stack_cnt(cluster, Int32(broker), request.rawValue, &count)
        return count
    }

    /// A kind of request; the raw value is its API key in the Kafka protocol.
    package enum Request: Int16 {
        case produce = 0
        case fetch = 1
        case listOffsets = 2
        case offsetFetch = 9
        case findCoordinator = 10
        case joinGroup = 11
        case heartbeat = 12
    }

    /// An error response.
    package struct Fault: Sendable {
        fileprivate let code: rd_kafka_resp_err_t

        package static let notEnoughReplicas = Fault(code: RD_KAFKA_RESP_ERR_NOT_ENOUGH_REPLICAS)
        package static let messageTooLarge = Fault(code: RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE)
        /// The fetched offset does not exist, as after the topic was recreated.
        package static let offsetOutOfRange = Fault(code: RD_KAFKA_RESP_ERR_OFFSET_OUT_OF_RANGE)
        package static let notLeader = Fault(code: RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION)
        package static let unknownMember = Fault(code: RD_KAFKA_RESP_ERR_UNKNOWN_MEMBER_ID)
        package static let rebalancing = Fault(code: RD_KAFKA_RESP_ERR_REBALANCE_IN_PROGRESS)
        package static let unknown = Fault(code: RD_KAFKA_RESP_ERR_UNKNOWN)
        package static let topicDenied = Fault(code: RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED)
        package static let groupDenied = Fault(code: RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED)
    }

    /// Fails the next requests of a kind, each with the next element of `faults`.
    package func fail(_ request: Request, with faults: [Fault]) {
        rd_kafka_mock_push_request_errors_array(cluster, request.rawValue, faults.count, faults.map(\.code))
    }

    /// Fails the next 1,000 requests of a kind, unless ``heal(_:)`` is called earlier.
    package func deny(_ request: Request, with fault: Fault) {
        fail(request, with: Array(repeating: fault, count: 1000))
    }

    /// Responds to metadata requests for the topic as if the user had no DESCRIBE permission.
    package func denyDescribe(topic: String) {
        rd_kafka_mock_topic_set_error(cluster, topic, RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED)
    }

    /// Removes the remaining faults of ``fail(_:with:)`` and ``deny(_:with:)``.
    package func heal(_ request: Request) { rd_kafka_mock_clear_request_errors(cluster, request.rawValue) }
}

extension MockCluster {
    /// Appends a record to every partition of `topics`.
    ///
    /// Tests of failing fetches need records: for an empty partition, the mock cluster reports the end of the partition
    /// even in an error response; a real broker does not report it there.
    /// - Throws: ``KafkaError``, also if a record is not acknowledged within a minute.
    package func fill(_ topics: [String], partitions: Int) throws {
        let producer = try KafkaProducer(configuration) { _ in }
        for name in topics {
            let topic = try producer.topic(name)
            for partition in 0..<partitions {
                ByteSlice.withBytes(of: "value") { value in
                    _ = producer.produce(
                        .init(key: value, value: value, timestamp: Timestamp(milliseconds: 1)), to: topic,
                        partition: Int32(partition), token: 0)
                }
            }
        }
        var failure: KafkaError?
        let isDone = try producer.flush(deadline: .now + .seconds(60)) { _, error in failure = error ?? failure }
        if let failure { throw failure }
        guard isDone else { throw KafkaError(.timedOut, "Records were not acknowledged within a minute.") }
    }

    /// Writes large records until the partition drops its current records, as retention does.
    /// - Returns: the remaining range of offsets.
    /// - Throws: ``KafkaError``.
    package func deleteOldestRecords(_ topic: String, partition: Int32) throws -> KafkaOffsetRange {
        let name = TopicPartition(topic: topic, partition: partition)
        let admin = try KafkaAdmin(configuration) { _ in }
        let producer = try KafkaProducer(configuration) { _ in }
        let handle = try producer.topic(topic)
        let end = try admin.offsetRange(of: name).high
        // Random text, because the records must stay large after compression.
        var generator = SystemRandomNumberGenerator()
        let value = (0..<100_000).flatMap { _ in
            withUnsafeBytes(of: generator.next()) { bytes in bytes.map { $0 & 0x3f | 0x40 } }
        }
        var offsets = try admin.offsetRange(of: name)
        while offsets.low <= end {
            value.withUnsafeBytes { value in
                let value = ByteSlice(start: value.baseAddress, count: value.count)
                _ = producer.produce(
                    .init(key: .empty, value: value, timestamp: Timestamp(milliseconds: 1)), to: handle,
                    partition: partition, token: 0)
            }
            // One batch per record, because the cluster drops whole batches.
            let isDone = try producer.flush(deadline: .now + .seconds(60)) { _, _ in }
            guard isDone else { throw KafkaError(.timedOut, "A record was not acknowledged within a minute.") }
            offsets = try admin.offsetRange(of: name)
        }
        return offsets
    }
}
