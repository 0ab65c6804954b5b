import Domain
import Kafka
import KafkaMock
import Logging
import Processing
import Runtime
import Support
import Synchronization
import TestSupport
import Testing

@Suite("Large outputs of a processor worker", .blocking)
struct ProcessorWorkerOutputTests {
    /// Maximum size of pending outputs over all processors of a test.
    private final class PeakOutput: Sendable {
        let bytes = Mutex(0)
    }

    /// Processor that writes a dead letter with the value, and a changelog record of 1 MiB, for each record.
    private final class LargeOutputProcessor: Processor {
        static let layout = ProcessorLayout(
            name: "large-outputs", inputs: [.init(topic: "in", resume: .afterChangelog)],
            outputs: [.init(topic: "out"), .init(topic: "dead")])

        var counts: [Int] = []
        private let peak: PeakOutput
        private let largeValue = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 20)

        init(_ peak: PeakOutput) { self.peak = peak }

        func restore(_ record: InputRecord) {}

        func process(_ record: InputRecord, into outputs: inout OutputBatch) {
            let event = EventID(partition: record.partition, offset: record.offset)
            let pending = outputs.bytes.count
            peak.bytes.withLock { $0 = max($0, pending) }
            outputs.begin(
                topic: 1, event: event, timestamp: record.timestamp, key: record.key, copiesInputHeaders: true)
            outputs.writeValue { $0.append(record.value ?? .empty) }
            outputs.begin(topic: 0, event: event, timestamp: record.timestamp, key: record.key)
            largeValue.withUnsafeBytes { bytes in outputs.writeValue { $0.append(ByteSlice(bytes)) } }
        }
    }

    private static func worker(_ cluster: MockCluster, _ peak: PeakOutput) -> StreamWorker {
        var settings = ProcessorWorkerSettings()
        settings.sessionTimeoutMilliseconds = 6000
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        return StreamWorker(
            layout: LargeOutputProcessor.layout, names: TopicNames(), kafka: cluster.configuration, settings: settings,
            logger: logger
        ) { _ in LargeOutputProcessor(peak) }
    }

    /// Runs a worker until it has written `count` dead letters, and returns their headers and values.
    private static func deadLetters(
        _ cluster: MockCluster, _ peak: PeakOutput, count: Int
    ) async throws -> [(headers: [String: String], value: String)] {
        let worker = worker(cluster, peak)
        async let running: Void = worker.run()
        let reader = try KafkaReader(cluster.configuration) { _ in }
        var letters: [(headers: [String: String], value: String)] = []
        try await eventually("\(count) dead letters") {
            letters = []
            try reader.readToEnd([TopicPartition(topic: "dead", partition: 0): .position(.beginning)]) {
                _, _, message in
                letters.append((message.textHeaders, message.record.value?.string ?? ""))
            }
            return letters.count >= count
        }
        worker.stop()
        try await running
        return letters
    }

    @Test("large outputs of a poll are sent in parts, in order and complete")
    func sentInParts() async throws {
        let cluster = try MockCluster()
        for topic in ["in", "out", "dead"] { cluster.createTopic(topic, partitions: 1) }
        let count = 200
        try cluster.append(0..<count, partitions: 1)
        let peak = PeakOutput()
        let letters = try await Self.deadLetters(cluster, peak, count: count)
        #expect(letters.map(\.value) == (0..<count).map { "\($0)" })
        let bytes = peak.bytes.withLock { $0 }
        #expect(bytes > 1 << 20, "polls had several records")
        #expect(bytes <= 10 << 20, "\(bytes) bytes of outputs waited for the end of a poll")
    }

    @Test("headers too large for a dead letter are omitted, and its header sightline-omitted lists them")
    func headersTooLarge() async throws {
        let cluster = try MockCluster()
        for topic in ["in", "out", "dead"] { cluster.createTopic(topic, partitions: 1) }
        let producer = try KafkaProducer(cluster.configuration) { _ in }
        let topic = try producer.topic("in")
        let value = [UInt8](repeating: UInt8(ascii: "v"), count: 1 << 20)
        for size in [900 << 10, 1 << 20] {
            var headers = KafkaHeaders(capacity: 1)
            let header = [UInt8](repeating: UInt8(ascii: "h"), count: size)
            header.withUnsafeBytes { headers.add("trace", ByteSlice($0)) }
            value.withUnsafeBytes { value in
                let record = KafkaProducer.Record(
                    key: .empty, value: ByteSlice(value), timestamp: Timestamp(milliseconds: 1000))
                _ = producer.produce(record, to: topic, partition: 0, headers: &headers, token: 0)
            }
        }
        var failures = 0
        let isFlushed = try producer.flush(deadline: .now + .seconds(60)) { failures += $1 == nil ? 0 : 1 }
        #expect(isFlushed && failures == 0)
        let letters = try await Self.deadLetters(cluster, PeakOutput(), count: 2)
        #expect(letters.map(\.value.utf8.count) == [1 << 20, 1 << 20])
        #expect(letters.map { $0.headers["trace"]?.utf8.count } == [900 << 10, nil])
        #expect(letters.map { $0.headers["sightline-omitted"] } == [nil, "headers"])
    }
}
