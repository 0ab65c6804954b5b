import Foundation
import KafkaMock
import Synchronization
import TestSupport
import Testing

@testable import Domain
@testable import Kafka
@testable import Processing
@testable import Runtime
@testable import Support

@Suite("Detection of a misplaced trip that follows locations", .blocking, .timeLimit(.minutes(10)))
struct PartitionerMismatchOrderTests {
    /// Counts of processed records, and the gate at which the processor waits.
    private final class Progress: Sendable {
        struct Counts {
            var halts = 0
            var trips = 0
            /// Trips with a location before them in the same poll.
            var tripsAfterLocations = 0
        }

        let counts = Mutex(Counts())
        let gate = DispatchSemaphore(value: 0)
    }

    /// Processor that waits at locations with the value "halt".
    ///
    /// It writes an output for each record, so that pending outputs show that the poll has earlier records.
    private final class HaltingProcessor: Processor {
        static let layout = ProcessorLayout(
            name: "halting",
            inputs: [PipelineTopic.locations, .trips].map { .init(topic: $0.rawValue, resume: .afterChangelog) },
            outputs: [.init(topic: "out")])

        let progress: Progress
        var counts: [Int] = []

        init(_ progress: Progress) { self.progress = progress }

        func restore(_ record: InputRecord) {}

        func process(_ record: InputRecord, into outputs: inout OutputBatch) {
            let isTrip = record.input == 1
            let followsLocation = !outputs.outputs.isEmpty
            let event = EventID(origin: isTrip ? .trips : .raw, partition: record.partition, offset: record.offset)
            outputs.begin(topic: 0, event: event, timestamp: record.timestamp, key: record.key)
            let isHalt = record.value?.string == "halt"
            progress.counts.withLock { counts in
                if isHalt { counts.halts += 1 }
                if isTrip { counts.trips += 1 }
                if isTrip, followsLocation { counts.tripsAfterLocations += 1 }
            }
            if isHalt { progress.gate.wait() }
        }
    }

    private let cluster: MockCluster
    private let progress = Progress()
    private let key = "drv_17"
    /// The partition to which the key does not belong.
    private let partition: Int32

    init() throws {
        cluster = try MockCluster()
        for topic in HaltingProcessor.layout.inputs.map(\.topic) + ["out"] { cluster.createTopic(topic, partitions: 2) }
        partition = ByteSlice.withBytes(of: key) { 1 - murmur2Partition(key: $0, count: 2) }
    }

    private func start() -> RunningWorker {
        var settings = ProcessorWorkerSettings()
        settings.sessionTimeoutMilliseconds = 6000
        settings.commitInterval = .milliseconds(100)
        return RunningWorker(
            StreamWorker(
                layout: HaltingProcessor.layout, names: TopicNames(), kafka: cluster.configuration, settings: settings,
                logger: CapturedLog().logger
            ) { [progress] _ in HaltingProcessor(progress) })
    }

    private func append(_ value: String, to topic: PipelineTopic, of producer: KafkaProducer) throws {
        let topic = try producer.topic(topic.rawValue)
        ByteSlice.withBytes(of: key) { key in
            ByteSlice.withBytes(of: value) { value in
                _ = producer.produce(
                    .init(key: key, value: value, timestamp: Timestamp(milliseconds: 1000)), to: topic,
                    partition: partition, token: 0)
            }
        }
        #expect(try producer.flush(deadline: .now + .seconds(30)) { _, _ in })
    }

    @Test("a misplaced trip is detected even if the same poll has earlier locations of its partition")
    func behindLocations() async throws {
        let running = start()
        let producer = try KafkaProducer(cluster.configuration) { _ in }
        var rounds = 0
        // Records that arrive while the processor waits are polled together, mostly in this order.
        while progress.counts.withLock(\.tripsAfterLocations) == 0, rounds < 20 {
            rounds += 1
            try append("halt", to: .locations, of: producer)
            try await running.until("the processor to wait") { progress.counts.withLock(\.halts) == rounds }
            try append("go", to: .locations, of: producer)
            usleep(200_000)
            try append("go", to: .trips, of: producer)
            usleep(200_000)
            progress.gate.signal()
            try await running.until("the trip") { progress.counts.withLock(\.trips) == rounds }
        }
        try #require(progress.counts.withLock(\.tripsAfterLocations) == 1, "trips preceded locations in all polls")
        try await running.until("every trip to be detected") {
            running.partitions.contains { $0.partition == partition && $0.misplacedKeys == rounds }
        }
        try await running.stop()
    }
}
