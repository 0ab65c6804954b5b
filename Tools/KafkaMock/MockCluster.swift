import CRdKafka
import Glibc
import Kafka

/// A cluster inside this process, for faults that real brokers do not show on request and for latencies without a
/// broker's own.
///
/// The client library's mock cluster: it listens on TCP, on a thread of its own, and keeps at most 5 MB per partition.
package final class MockCluster {
    private let client: OpaquePointer
    private let cluster: OpaquePointer
    /// Sockets that keep the ports of brokers that are down, by the broker's number.
    private var heldPorts: [Int: Int32] = [:]

    /// Starts a cluster.
    ///
    /// `brokers`: the number of brokers, numbered from 1.
    package init(brokers: Int = 1) throws(KafkaError) {
        var text = [CChar](repeating: 0, count: 256)
        let conf: OpaquePointer = rd_kafka_conf_new()
        rd_kafka_conf_set_log_cb(conf) { _, _, _, _ in }
        guard let client = rd_kafka_new(RD_KAFKA_PRODUCER, conf, &text, text.count) else {
            rd_kafka_conf_destroy(conf)
            throw KafkaError(.configuration, "The mock cluster's client was refused.")
        }
        guard let cluster = rd_kafka_mock_cluster_new(client, Int32(brokers)) else {
            rd_kafka_destroy(client)
            throw KafkaError(.configuration, "The mock cluster did not start.")
        }
        self.client = client
        self.cluster = cluster
    }

    deinit {
        for held in heldPorts.values { close(held) }
        rd_kafka_mock_cluster_destroy(cluster)
        rd_kafka_destroy(client)
    }

    /// How clients reach the cluster.
    package var configuration: KafkaConfiguration {
        KafkaConfiguration(bootstrapServers: bootstrapServers, clientID: "sightline-test")
    }

    package var bootstrapServers: String { String(cString: rd_kafka_mock_cluster_bootstraps(cluster)) }

    package func createTopic(_ name: String, partitions: Int) {
        rd_kafka_mock_topic_create(cluster, name, Int32(partitions), 1)
    }

    /// Has the broker number `broker` lead a partition.
    package func setLeader(of topic: String, partition: Int, broker: Int) {
        rd_kafka_mock_partition_set_leader(cluster, topic, Int32(partition), Int32(broker))
    }

    /// Has the broker stop listening, and close its connections.
    ///
    /// Its port is kept for it meanwhile. It is one that the system also gives to outgoing connections, even to a
    /// client's own attempt to reach the broker, and the library ends the process when it finds the port taken.
    package func takeDown(broker: Int) {
        rd_kafka_mock_broker_set_down(cluster, Int32(broker))
        let servers = bootstrapServers.split(separator: ",")
        let port = servers[broker - 1].split(separator: ":").last.flatMap { UInt16($0) } ?? 0
        let deadline = ContinuousClock.now + .seconds(120)
        while heldPorts[broker] == nil, ContinuousClock.now < deadline {
            heldPorts[broker] = Self.hold(port)
            if heldPorts[broker] == nil { usleep(1000) }
        }
        precondition(heldPorts[broker] != nil, "The port of the mock broker, \(port), was taken for two minutes.")
    }

    /// Has the broker listen again.
    package func bringUp(broker: Int) {
        rd_kafka_mock_broker_set_up(cluster, Int32(broker))
        if let held = heldPorts.removeValue(forKey: broker) { close(held) }
    }

    /// A socket that is bound to `port` and does not listen.
    ///
    /// The system gives a bound port to no outgoing connection, and lets another socket listen on it as long as both
    /// allow it to be used again.
    private static func hold(_ port: UInt16) -> Int32? {
        let holder = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var reuse: Int32 = 1
        setsockopt(holder, SOL_SOCKET, SO_REUSEADDR, &reuse, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let isBound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(holder, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        if isBound { return holder }
        close(holder)
        return nil
    }

    /// Has the broker answer every request a little later, in milliseconds.
    package func setRoundTrip(broker: Int, milliseconds: Int) {
        rd_kafka_mock_broker_set_rtt(cluster, Int32(broker), Int32(milliseconds))
    }

    /// Has the broker number `broker` coordinate a consumer group.
    package func setCoordinator(ofGroup group: String, broker: Int) {
        rd_kafka_mock_coordinator_set(cluster, "group", group, Int32(broker))
    }

    /// Fails the next `count` requests of a kind that go to one broker, and no other's.
    package func fail(_ request: Request, atBroker broker: Int, with fault: Fault, count: Int) {
        for _ in 0..<count { sl_mock_broker_fail(cluster, Int32(broker), request.rawValue, fault.code) }
    }

    /// How many requests of a kind are still going to fail because of ``fail(_:atBroker:with:count:)``.
    package func failuresLeft(_ request: Request, atBroker broker: Int) -> Int {
        var count = 0
        rd_kafka_mock_broker_error_stack_cnt(cluster, Int32(broker), request.rawValue, &count)
        return count
    }

    /// A kind of request; the raw value is the Kafka protocol's number of it.
    package enum Request: Int16 {
        case produce = 0
        case fetch = 1
        case listOffsets = 2
        case offsetFetch = 9
        case findCoordinator = 10
        case joinGroup = 11
        case heartbeat = 12
    }

    /// A fault that the next requests of a kind meet, one each.
    package enum Fault {
        case notEnoughReplicas
        case messageTooLarge
        /// The offset that is fetched is not there, as of a topic that was created anew.
        case offsetOutOfRange
        case notLeader
        case unknownMember
        /// The group changes its members.
        case rebalancing
        /// An error that no client knows what to do about.
        case unknown
        /// The user lacks a right on the topic.
        case topicDenied
        /// The user lacks a right on the consumer group.
        case groupDenied

        fileprivate var code: rd_kafka_resp_err_t {
            switch self {
            case .notEnoughReplicas: RD_KAFKA_RESP_ERR_NOT_ENOUGH_REPLICAS
            case .messageTooLarge: RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE
            case .offsetOutOfRange: RD_KAFKA_RESP_ERR_OFFSET_OUT_OF_RANGE
            case .notLeader: RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION
            case .unknownMember: RD_KAFKA_RESP_ERR_UNKNOWN_MEMBER_ID
            case .rebalancing: RD_KAFKA_RESP_ERR_REBALANCE_IN_PROGRESS
            case .unknown: RD_KAFKA_RESP_ERR_UNKNOWN
            case .topicDenied: RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED
            case .groupDenied: RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED
            }
        }
    }

    package func fail(_ request: Request, with faults: [Fault]) {
        rd_kafka_mock_push_request_errors_array(cluster, request.rawValue, faults.count, faults.map(\.code))
    }

    /// Fails the next requests of a kind, more of them than any client sends while it waits for an answer.
    package func deny(_ request: Request, with fault: Fault) {
        fail(request, with: Array(repeating: fault, count: 1000))
    }

    /// Answers every question about the topic's partitions as a broker does whose user lacks Describe on the topic.
    package func denyDescribe(topic: String) {
        rd_kafka_mock_topic_set_error(cluster, topic, RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED)
    }

    /// Takes back what ``fail(_:with:)`` has left over.
    package func heal(_ request: Request) { rd_kafka_mock_clear_request_errors(cluster, request.rawValue) }
}
