import KafkaMock
import NIOPosix
import Synchronization
import TestSupport
import Testing

@testable import Domain
@testable import Gateways
@testable import Kafka
@testable import Runtime
@testable import Support

@Suite("A watched partition whose offsets restart", .blocking, .timeLimit(.minutes(5)))
struct RestartedPartitionTests {
    /// Extractor that returns values unchanged.
    private struct Values: ContentExtractor {
        typealias Name = String
        static var topic: PipelineTopic { .warnings }
        func content(of value: ByteSlice) -> String? { value.string }
    }

    private func write(_ values: Range<Int>, to cluster: MockCluster, _ topic: String) throws {
        let producer = try KafkaProducer(cluster.configuration) { _ in }
        let handle = try producer.topic(topic)
        for value in values {
            ByteSlice.withBytes(of: "d") { key in
                ByteSlice.withBytes(of: "\(value)") { text in
                    _ = producer.produce(
                        .init(key: key, value: text, timestamp: Timestamp(milliseconds: 1)), to: handle, partition: 0,
                        token: 0)
                }
            }
        }
        #expect(try producer.flush(deadline: .now + .seconds(60)) { _, _ in })
    }

    @Test("the restart is reported, then all records are delivered again")
    func announced() async throws {
        let cluster = try MockCluster()
        let topic = PipelineTopic.warnings.rawValue
        cluster.createTopic(topic, partitions: 1)
        try write(0..<3, to: cluster, topic)
        let log = CapturedLog()
        let context = WorkerContext(
            name: "test", inputs: [topic], names: TopicNames(prefix: ""), kafka: cluster.configuration,
            logger: log.logger)
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let intake = PartitionIntake<Values>(context: context, loops: [loop])
        let events = Mutex<[String]>([])
        async let reading: Void = WorkerThread.run {
            try intake.run(restart: { _, partition in events.withLock { $0.append("restart \(partition)") } }) {
                _, deliveries in events.withLock { $0 += deliveries.map(\.content) }
            }
        }
        intake.submit(.watch("d", loop: 0, starts: [0: .offset(0)]) { _ in })
        try await eventually("the records are delivered") { events.withLock { $0 } == ["0", "1", "2"] }
        cluster.fail(.fetch, with: [.offsetOutOfRange])
        try await eventually("the records are delivered again: \(events.withLock { $0 })") {
            events.withLock { $0.count } == 7
        }
        #expect(events.withLock { $0 } == ["0", "1", "2", "restart 0", "0", "1", "2"])
        try write(3..<4, to: cluster, topic)
        try await eventually("later records are delivered") { events.withLock { $0.last } == "3" }
        #expect(log.has("warning: Offsets of a partition restarted", "partition=0", "topic=\(topic)"))
        context.control.request(.stop)
        try await reading
    }
}
