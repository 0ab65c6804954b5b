import CRdKafka
import Glibc
import Kafka

/// A simulated client of librdkafka (`rd_kafka_t`): a producer, or a consumer with or without a group.
///
/// Its background work happens in events, as that of librdkafka's threads; calls of the worker come from a fiber.
final class KafkaSimulatedClient {
    let kind: rd_kafka_type_t
    let configuration: ClientConfiguration
    let process: SimulatedProcess
    let log: SimulatedLog
    let connection: BrokerConnection
    /// Queue of records and rebalances of a consumer, or of delivery reports of a producer.
    let queue = ClientQueue()
    private(set) var isClosed = false
    private var topics: [String: ClientTopic] = [:]
    var fetched: [TopicPartition: FetchedPartition] = [:]
    var pausedNames: Set<TopicPartition> = []
    /// Offset ranges of the last fetches.
    var ranges: [TopicPartition: OffsetRange] = [:]
    private(set) var membership: GroupMembership?
    private(set) var producer: ProducerBuffer?
    /// Whether the worker knows that no broker answers.
    private var hasReportedDown = false
    private let answered = Signal()

    init(_ kind: rd_kafka_type_t, _ configuration: ClientConfiguration, _ log: SimulatedLog) {
        self.kind = kind
        self.configuration = configuration
        self.log = log
        process = log.world.runningProcess
        connection = BrokerConnection(process, log.link(of: process))
        if kind == RD_KAFKA_PRODUCER { producer = ProducerBuffer(self) }
        connection.onOpen = { [weak self] in self?.handleOpen() }
        connection.onDown = { [weak self] in self?.handleDown() }
        connection.open()
    }

    var world: World { log.world }

    /// Whether nothing that the client does has an effect.
    var isGone: Bool { isClosed || process.isDead }

    /// Pointer for the C interface.
    var handle: OpaquePointer { OpaquePointer(Unmanaged.passUnretained(self).toOpaque()) }

    static func of(_ handle: OpaquePointer?) -> KafkaSimulatedClient {
        guard let handle else { preconditionFailure("The client's handle is missing.") }
        return Unmanaged<KafkaSimulatedClient>.fromOpaque(UnsafeRawPointer(handle)).takeUnretainedValue()
    }

    func topic(_ name: String) -> ClientTopic {
        if let known = topics[name] { return known }
        let topic = ClientTopic(name)
        topics[name] = topic
        return topic
    }

    /// Executes `action` in the background after a delay, unless the client is closed by then.
    func schedule(after delay: Int64, _ action: @escaping () -> Void) {
        world.schedule(after: delay) { [self] in
            process.deliver { [self] in
                if !isGone { action() }
            }
        }
    }

    func subscribe(_ topics: [String]) {
        let membership = GroupMembership(self, topics)
        self.membership = membership
        membership.start()
    }

    /// Closes the client; `isLeaving`: whether to leave the group in order.
    func close(isLeaving: Bool) {
        guard !isClosed else { return }
        membership?.close(isLeaving: isLeaving)
        isClosed = true
        producer?.close()
        connection.close(abruptly: kind == RD_KAFKA_PRODUCER)
        queue.removeAll()
        fetched = [:]
    }

    private func handleOpen() {
        guard !isGone else { return }
        hasReportedDown = false
        producer?.resend()
        for partition in sortedPartitions {
            partition.isFetching = false
            fetch(partition)
        }
    }

    private func handleDown() {
        guard !isGone, !hasReportedDown else { return }
        hasReportedDown = true
        queue.append(.error(RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN, reason: "1/1 brokers are down"))
    }

    var sortedPartitions: [FetchedPartition] {
        fetched.values.sorted { ($0.name.topic, $0.name.partition) < ($1.name.topic, $1.name.partition) }
    }

    /// Sends a request and waits for its response.
    /// - Returns: the response; `nil` if it does not arrive in time.
    func ask<Result>(
        timeout: Int64, over connection: BrokerConnection? = nil,
        _ execute: @escaping (SimulatedLog, @escaping (Result) -> Void) -> Void
    ) -> Result? {
        let connection = connection ?? self.connection
        var result: Result?
        let end = world.now + timeout
        while result == nil, world.now < end, !isGone {
            // Repeated, because the connection may break; all requests have the same effect when they are repeated.
            connection.request { [log, answered] respond in
                execute(log) { value in
                    respond {
                        result = result ?? value
                        answered.notify()
                    }
                }
            }
            answered.wait(upTo: min(end - world.now, .seconds(1))) { result != nil }
        }
        return result
    }
}
