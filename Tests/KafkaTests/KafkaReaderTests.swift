import Foundation
import Kafka
import KafkaMock
import Support
import Synchronization
import TestSupport
import Testing

@Suite("Read to end", .blocking, .timeLimit(.minutes(10)))
struct KafkaReaderTests {
    /// Thread that writes records to all partitions of a topic until ``stop()``.
    private final class Traffic: Sendable {
        private let isStopRequested = Atomic<Bool>(false)
        private let written = Atomic<Int>(0)
        private let ended = DispatchSemaphore(value: 0)

        init(_ configuration: KafkaConfiguration, topic: String, partitions: Int32) {
            let thread = Thread { [self] in
                do {
                    try write(configuration, topic, partitions)
                } catch {
                    Issue.record("\(error)")
                }
                ended.signal()
            }
            thread.start()
        }

        var count: Int { written.load(ordering: .relaxed) }

        func stop() {
            isStopRequested.store(true, ordering: .relaxed)
            ended.wait()
            ended.signal()
        }

        private func write(_ configuration: KafkaConfiguration, _ name: String, _ partitions: Int32) throws {
            var settings = KafkaProducerSettings()
            settings.lingerMilliseconds = 0
            let producer = try KafkaProducer(configuration, settings: settings) { _ in }
            defer { producer.close() }
            let topic = try producer.topic(name)
            var partition: Int32 = 0
            while !isStopRequested.load(ordering: .relaxed) {
                partition = (partition + 1) % partitions
                ByteSlice.withBytes(of: "value") { value in
                    _ = producer.produce(
                        .init(key: value, value: value, timestamp: Timestamp(milliseconds: 1)), to: topic,
                        partition: partition, token: 0)
                }
                try producer.poll(waitMilliseconds: 1) { _, error in
                    if error == nil { written.add(1, ordering: .relaxed) }
                }
            }
        }
    }

    @Test("reading stops at the end offsets of the time when it began, although more records arrive")
    func liveTraffic() throws {
        let cluster = try MockCluster()
        cluster.createTopic("topic", partitions: 2)
        let traffic = Traffic(cluster.configuration, topic: "topic", partitions: 2)
        defer { traffic.stop() }
        let deadline = ContinuousClock.now + .seconds(60)
        while traffic.count < 200, ContinuousClock.now < deadline { usleep(10_000) }
        let reader = try KafkaReader(cluster.configuration) { _ in }
        let partitions = (0..<Int32(2)).map { TopicPartition(topic: "topic", partition: $0) }
        for start in [KafkaPosition.beginning, .end] {
            var counts: [Int32: Int64] = [:]
            let ends = try reader.readToEnd(
                Dictionary(uniqueKeysWithValues: partitions.map { ($0, .position(start)) })
            ) { _, _, message in counts[message.partition, default: 0] += 1 }
            #expect(ends.keys.sorted { $0.partition < $1.partition } == partitions)
            for partition in partitions {
                let end = try #require(ends[partition])
                #expect(end > 0)
                if start == .beginning { #expect(counts[partition.partition] == end, "records up to the end offset") }
            }
        }
        let before = traffic.count
        let laterDeadline = ContinuousClock.now + .seconds(60)
        while traffic.count == before, ContinuousClock.now < laterDeadline { usleep(10_000) }
        #expect(traffic.count > before, "records were still arriving")
    }

    @Test("reading fails if one partition returns nothing while others have records")
    func oneSilentPartition() throws {
        let cluster = try MockCluster(brokers: 2)
        for (number, topic) in ["live", "silent"].enumerated() {
            cluster.createTopic(topic, partitions: 1)
            cluster.setLeader(of: topic, partition: 0, broker: number + 1)
        }
        let traffic = Traffic(cluster.configuration, topic: "live", partitions: 1)
        defer { traffic.stop() }
        let deadline = ContinuousClock.now + .seconds(60)
        while traffic.count < 10, ContinuousClock.now < deadline { usleep(10_000) }
        cluster.takeDown(broker: 2)
        let reader = try KafkaReader(cluster.configuration) { _ in }
        let error = #expect(throws: KafkaError.self) {
            try reader.readToEnd(
                [
                    TopicPartition(topic: "live", partition: 0): .position(.beginning),
                    TopicPartition(topic: "silent", partition: 0): .position(.beginning),
                ], idleTimeoutMilliseconds: 3000
            ) { _, _, _ in }
        }
        #expect(error?.code == .timedOut)
        #expect(error?.message.contains("silent[0]") == true, "\(String(describing: error))")
    }
}
