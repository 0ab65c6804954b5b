import Foundation
import KafkaMock
import Synchronization
import TestSupport
import Testing

@testable import Kafka
@testable import Model
@testable import Processing
@testable import Runtime
@testable import Support

@Suite("Noticing a misplaced trip behind locations", .blocking, .timeLimit(.minutes(10)))
struct KeyWatchOrderTests {
    /// What the stage was given, and the gate at which it waits.
    private final class Course: Sendable {
        struct Seen {
            var halts = 0
            var trips = 0
            /// Trips in front of which the same poll had a location.
            var tripsBehindLocations = 0
        }

        let seen = Mutex(Seen())
        let gate = DispatchSemaphore(value: 0)
    }

    /// Answers every record, so that the outputs at hand tell what the poll had before it; waits at each location whose
    /// value is "halt".
    private final class HaltingStage: Processor {
        static let layout = ProcessorLayout(
            name: "halting",
            inputs: [PipelineTopic.locations, .trips].map { .init(topic: $0.rawValue, resume: .afterChangelog) },
            outputs: [.init(topic: "out")])

        let course: Course
        var counts: [Int] = []

        init(_ course: Course) { self.course = course }

        func restore(_ record: InputRecord) {}

        func process(_ record: InputRecord, into outputs: inout OutputBatch) {
            let isTrip = record.input == 1
            let isBehind = !outputs.outputs.isEmpty
            let event = EventID(origin: isTrip ? .trips : .raw, partition: record.partition, offset: record.offset)
            outputs.begin(topic: 0, clock: event, timestamp: record.timestamp, key: record.key)
            let isHalt = record.value?.string == "halt"
            course.seen.withLock { seen in
                if isHalt { seen.halts += 1 }
                if isTrip { seen.trips += 1 }
                if isTrip, isBehind { seen.tripsBehindLocations += 1 }
            }
            if isHalt { course.gate.wait() }
        }
    }

    private let cluster: MockCluster
    private let course = Course()
    private let key = "drv_17"
    /// Where the key does not belong.
    private let partition: Int32

    init() throws {
        cluster = try MockCluster()
        for topic in HaltingStage.layout.inputs.map(\.topic) + ["out"] { cluster.createTopic(topic, partitions: 2) }
        partition = ByteSlice.withBytes(of: key) { 1 - murmur2Partition(key: $0, count: 2) }
    }

    private func start() -> RunningWorker {
        var settings = ProcessorWorkerSettings()
        settings.sessionTimeoutMilliseconds = 6000
        settings.commitInterval = .milliseconds(100)
        return RunningWorker(
            StreamWorker(
                layout: HaltingStage.layout, names: TopicNames(), kafka: cluster.configuration, settings: settings,
                logger: CapturedLog().logger
            ) { [course] _ in HaltingStage(course) })
    }

    private func append(_ value: String, to topic: PipelineTopic, of producer: KafkaProducer) throws {
        let topic = try producer.topic(topic.rawValue)
        ByteSlice.withBytes(of: key) { key in
            ByteSlice.withBytes(of: value) { value in
                _ = producer.produce(
                    .init(key: key, value: value, timestamp: Timestamp(milliseconds: 1000)), to: topic,
                    partition: partition, ticket: 0)
            }
        }
        #expect(try producer.flush(deadline: .now + .seconds(30)) { _, _ in })
    }

    @Test("a trip is noticed though the poll has locations of its partition in front of it")
    func behindLocations() async throws {
        let running = start()
        let producer = try KafkaProducer(cluster.configuration) { _ in }
        var rounds = 0
        // What comes while the stage waits is fetched meanwhile, and is in the next poll together, mostly in this order.
        while course.seen.withLock(\.tripsBehindLocations) == 0, rounds < 20 {
            rounds += 1
            try append("halt", to: .locations, of: producer)
            try await running.until("the stage to wait") { course.seen.withLock(\.halts) == rounds }
            try append("go", to: .locations, of: producer)
            usleep(200_000)
            try append("go", to: .trips, of: producer)
            usleep(200_000)
            course.gate.signal()
            try await running.until("the trip") { course.seen.withLock(\.trips) == rounds }
        }
        try #require(course.seen.withLock(\.tripsBehindLocations) == 1, "the polls had the trips first")
        try await running.until("every trip to be noticed") {
            running.partitions.contains { $0.partition == partition && $0.misplacedKeys == rounds }
        }
        try await running.stop()
    }
}
