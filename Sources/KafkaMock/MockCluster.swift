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
        rd_kafka_mock_cluster_destroy(cluster)
        rd_kafka_destroy(client)
    }

    /// How clients reach the cluster.
    package var configuration: KafkaConfiguration {
        KafkaConfiguration(bootstrapServers: bootstrapServers, clientID: "sightline-test")
    }

    package var bootstrapServers: String { String(cString: rd_kafka_mock_cluster_bootstraps(cluster)) }

    package func createTopic(_ name: String, lanes: Int) {
        rd_kafka_mock_topic_create(cluster, name, Int32(lanes), 1)
    }

    package func takeDown(broker: Int) { rd_kafka_mock_broker_set_down(cluster, Int32(broker)) }

    /// Has the broker listen again, once its port can be had.
    ///
    /// The port is one that the system also gives to outgoing connections, even to a client's own attempt to reach the
    /// broker; the library ends the process when it finds it taken.
    package func bringUp(broker: Int) {
        let servers = bootstrapServers.split(separator: ",")
        let port = servers[broker - 1].split(separator: ":").last.flatMap { UInt16($0) } ?? 0
        let deadline = ContinuousClock.now + .seconds(30)
        while !Self.isFree(port), ContinuousClock.now < deadline { usleep(20_000) }
        rd_kafka_mock_broker_set_up(cluster, Int32(broker))
    }

    private static func isFree(_ port: UInt16) -> Bool {
        let probe = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(probe) }
        var reuse: Int32 = 1
        setsockopt(probe, SOL_SOCKET, SO_REUSEADDR, &reuse, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(probe, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }

    /// Has the broker answer every request a little later, in milliseconds.
    package func setRoundTrip(broker: Int, milliseconds: Int) {
        rd_kafka_mock_broker_set_rtt(cluster, Int32(broker), Int32(milliseconds))
    }

    /// A kind of request; the raw value is the Kafka protocol's number of it.
    package enum Request: Int16 {
        case produce = 0
        case heartbeat = 12
    }

    /// A fault that the next requests of a kind meet, one each.
    package enum Fault {
        case notEnoughReplicas
        case messageTooLarge
        case notLeader
        case unknownMember

        fileprivate var code: rd_kafka_resp_err_t {
            switch self {
            case .notEnoughReplicas: RD_KAFKA_RESP_ERR_NOT_ENOUGH_REPLICAS
            case .messageTooLarge: RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE
            case .notLeader: RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION
            case .unknownMember: RD_KAFKA_RESP_ERR_UNKNOWN_MEMBER_ID
            }
        }
    }

    package func fail(_ request: Request, with faults: [Fault]) {
        rd_kafka_mock_push_request_errors_array(cluster, request.rawValue, faults.count, faults.map(\.code))
    }

    /// Takes back what ``fail(_:with:)`` has left over.
    package func heal(_ request: Request) { rd_kafka_mock_clear_request_errors(cluster, request.rawValue) }
}
