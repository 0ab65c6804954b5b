import Domain
import Kafka
import KafkaMock
import Processing
import Runtime
import TestSupport
import Testing

@Suite("Processor worker with states of another release", .blocking, .timeLimit(.minutes(10)))
struct ProcessorWorkerStateTests {
    /// Processor that copies records; their state is one byte, the version of the simulated release.
    private final class ReleaseProcessor: Processor {
        static let layout = ProcessorLayout(
            name: "release", inputs: [.init(topic: "in", resume: .afterChangelog)], outputs: [.init(topic: "out")])

        var counts: [Int] = []
        private(set) var unreadable = UnreadableStates()
        private let versions: StateVersions
        private var watermark = Watermark()

        init(_ versions: StateVersions) { self.versions = versions }

        func restore(_ record: InputRecord) {
            if let event = record.event { watermark.advance(to: event) }
            guard let version = record.state.buffer.first, let problem = versions.problem(of: version) else { return }
            unreadable.record("a copy", problem)
        }

        func process(_ record: InputRecord, into outputs: inout OutputBatch) {
            let event = EventID(partition: record.partition, offset: record.offset)
            guard watermark.advance(to: event) else { return }
            outputs.begin(topic: 0, event: event, timestamp: record.timestamp, key: record.key)
            if let value = record.value { outputs.writeValue { $0.append(value) } }
            outputs.writeHeader(RecordHeader.state) { $0.append(versions.current) }
        }
    }

    private struct Fixture {
        let cluster: MockCluster
        let log = CapturedLog()

        init() throws {
            cluster = try MockCluster(brokers: 1)
            for topic in ["in", "out"] { cluster.createTopic(topic, partitions: 2) }
        }

        func start(_ release: StateVersions) -> RunningWorker {
            var settings = ProcessorWorkerSettings()
            settings.sessionTimeoutMilliseconds = 6000
            settings.commitInterval = .milliseconds(100)
            return RunningWorker(
                StreamWorker(
                    layout: ReleaseProcessor.layout, names: TopicNames(), kafka: cluster.configuration,
                    settings: settings, logger: log.logger
                ) { _ in ReleaseProcessor(release) })
        }

        func numbers() throws -> [Int] {
            let reader = try KafkaReader(cluster.configuration) { _ in }
            var numbers: [Int] = []
            let partitions = (0..<2).map {
                (TopicPartition(topic: "out", partition: $0), KafkaReader.Start.position(.beginning))
            }
            try reader.readToEnd(Dictionary(uniqueKeysWithValues: partitions)) { _, _, message in
                numbers.append(Int(message.record.value?.string ?? "") ?? -1)
            }
            return numbers
        }

        /// Processes ten more records with `release`.
        func work(_ release: StateVersions, from first: Int) async throws {
            try cluster.append(first..<first + 10)
            let worker = start(release)
            try await worker.until("the outputs") { try numbers().count >= first + 10 }
            try await worker.stop()
            #expect(try numbers().sorted() == Array(0..<first + 10))
        }
    }

    private let old = StateVersions(current: 1, previous: 1)
    private let new = StateVersions(current: 2, previous: 1)

    @Test("a newer release reads older states; an older release stops at newer states without writing")
    func releases() async throws {
        let fixture = try Fixture()
        try await fixture.work(old, from: 0)
        try await fixture.work(new, from: 10)
        try fixture.cluster.append(20..<30)
        let outdated = fixture.start(old)
        try await eventually("the old release to stop") { outdated.hasEnded }
        let error = try #require(outdated.failure as? WorkerError)
        #expect(error.code == .stateVersion && error.exitCode == 19 && !error.isRetriable)
        #expect(error.message.hasPrefix("Partition 0 of out cannot be restored. The state of a copy has version 2"))
        #expect(error.message.contains("Run that release or a newer one"))
        #expect(try fixture.numbers().count == 20)
        let worker = fixture.start(new)
        try await worker.until("the newer release to continue") { try fixture.numbers().count >= 30 }
        try await worker.stop()
        #expect(try fixture.numbers().sorted() == Array(0..<30))
    }
}
