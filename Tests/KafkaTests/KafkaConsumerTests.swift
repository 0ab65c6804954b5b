@testable import Kafka
import KafkaMock
import Support
import TestSupport
import Testing

@Suite("Group consumer", .blocking, .timeLimit(.minutes(10)))
struct KafkaConsumerTests {
    private static func fill(_ cluster: MockCluster, partitions: Int32, recordsEach: Int) throws {
        let producer = try KafkaProducer(cluster.configuration) { _ in }
        let topic = try producer.topic("topic")
        for index in 0..<recordsEach {
            for partition in 0..<partitions {
                ByteSlice.withBytes(of: "\(index)") { value in
                    _ = producer.produce(
                        .init(key: value, value: value, timestamp: Timestamp(milliseconds: Int64(index))), to: topic,
                        partition: partition, token: 0)
                }
            }
        }
        var failures = 0
        let isDone = try producer.flush(deadline: .now + .seconds(20)) { _, error in failures += error == nil ? 0 : 1 }
        #expect(isDone && failures == 0)
    }

    private static func consumer(_ cluster: MockCluster, _ assignor: KafkaAssignor) throws -> KafkaConsumer {
        var group = KafkaGroupSettings(group: "group", assignor: assignor)
        group.sessionTimeoutMilliseconds = 6000
        return try KafkaConsumer(cluster.configuration, group: group, topics: ["topic"]) { _ in }
    }

    /// Polls until `isDone`, passes entries to `entry`, and answers rebalances, with assignments at `positions`.
    private static func poll(
        _ consumer: KafkaConsumer, seconds: Int = 30, positions: [TopicPartition: KafkaPosition] = [:],
        _ isDone: () -> Bool, _ entry: (KafkaBatch.Entry) -> Void
    ) throws {
        let batch = consumer.makeBatch(capacity: 100)
        let deadline = ContinuousClock.now + .seconds(seconds)
        while !isDone() {
            try #require(ContinuousClock.now < deadline, "Polling was not done within \(seconds) s.")
            try consumer.poll(into: batch, waitMilliseconds: 50)
            for index in 0..<batch.count { if let item = batch[index] { entry(item) } }
            batch.removeAll()
            for change in consumer.drainRebalances() {
                if change.kind == .assigned {
                    try consumer.accept(change.partitions, positions: positions)
                } else {
                    try consumer.release(change.partitions)
                }
            }
        }
    }

    @Test(
        "partitions are read in order to their end, and only stored offsets are committed",
        arguments: [KafkaAssignor.range, .cooperativeSticky])
    func readAndCommit(_ assignor: KafkaAssignor) throws {
        let cluster = try MockCluster()
        cluster.createTopic("topic", partitions: 2)
        try Self.fill(cluster, partitions: 2, recordsEach: 300)
        let consumer = try Self.consumer(cluster, assignor)
        var values: [Int32: [String]] = [:]
        var ends: [Int32: Int64] = [:]
        try Self.poll(consumer, { ends.count == 2 }) { entry in
            switch entry {
            case .message(let message):
                values[message.partition, default: []].append(message.value?.string ?? "")
            case .end(_, let partition, let offset): ends[partition] = offset
            case .failure(_, _, _, let error): Issue.record("\(error)")
            }
        }
        #expect(ends == [0: 300, 1: 300])
        #expect(values == [0: (0..<300).map { "\($0)" }, 1: (0..<300).map { "\($0)" }])
        let partitions = [TopicPartition(topic: "topic", partition: 0), TopicPartition(topic: "topic", partition: 1)]
        #expect(try consumer.commits(of: partitions) == [:])
        #expect(consumer.storeOffset(input: 0, partition: 1, KafkaCommit(offset: 120)))
        try consumer.commit()
        #expect(try consumer.commits(of: partitions) == [partitions[1]: KafkaCommit(offset: 120)])
        #expect(consumer.cachedOffsetRange(of: partitions[0]) == KafkaOffsetRange(low: 0, high: 300))
        consumer.close()
    }

    @Test("a restart continues at the new position, and a paused partition returns nothing until it is resumed")
    func restartAndPause() throws {
        let cluster = try MockCluster()
        cluster.createTopic("topic", partitions: 1)
        try Self.fill(cluster, partitions: 1, recordsEach: 50)
        let consumer = try Self.consumer(cluster, .cooperativeSticky)
        let partition = TopicPartition(topic: "topic", partition: 0)
        var offsets: [Int64] = []
        let record: (KafkaBatch.Entry) -> Void = {
            if case .message(let message) = $0 { offsets.append(message.offset) }
        }
        try Self.poll(consumer, { offsets.count == 50 }, record)
        try consumer.pause([partition])
        try consumer.restart([partition: .offset(40)])
        offsets = []
        let quietUntil = ContinuousClock.now + .milliseconds(400)
        try Self.poll(consumer, { ContinuousClock.now > quietUntil }, record)
        #expect(offsets == [])
        try consumer.resume([partition])
        try Self.poll(consumer, { offsets.count == 10 }, record)
        #expect(offsets == Array(40..<50))
        consumer.close()
    }

    @Test("a position beyond the end is reported as out of range")
    func outOfRange() throws {
        let cluster = try MockCluster()
        cluster.createTopic("topic", partitions: 1)
        try Self.fill(cluster, partitions: 1, recordsEach: 5)
        let consumer = try Self.consumer(cluster, .cooperativeSticky)
        let partition = TopicPartition(topic: "topic", partition: 0)
        var failure: KafkaError?
        var missingOffset: Int64?
        try Self.poll(consumer, positions: [partition: .offset(1000)], { failure != nil }) { entry in
            if case .failure(_, 0, let offset, let error) = entry { (failure, missingOffset) = (error, offset) }
        }
        #expect(failure?.code == .offsetOutOfRange)
        #expect(missingOffset == 1000)
        consumer.close()
    }

    @Test(
        "a partition whose next record was deleted continues after a restart, and other partitions are not reread",
        arguments: [KafkaAssignor.range, .cooperativeSticky])
    func restartAfterRetention(_ assignor: KafkaAssignor) throws {
        let cluster = try MockCluster()
        cluster.createTopic("topic", partitions: 2)
        try Self.fill(cluster, partitions: 2, recordsEach: 5)
        let range = try cluster.deleteOldestRecords("topic", partition: 0)
        let consumer = try Self.consumer(cluster, assignor)
        let partition = TopicPartition(topic: "topic", partition: 0)
        var offsets: [Int32: [Int64]] = [:]
        var missingOffset: Int64?
        let record: (KafkaBatch.Entry) -> Void = { entry in
            switch entry {
            case .message(let message): offsets[message.partition, default: []].append(message.offset)
            case .failure(_, 0, let offset, let error) where error.code == .offsetOutOfRange: missingOffset = offset
            case .failure(_, _, _, let error): Issue.record("\(error)")
            case .end: return
            }
        }
        try Self.poll(
            consumer, positions: [partition: .offset(3)], { missingOffset != nil && offsets[1]?.count == 5 }, record)
        #expect(missingOffset == 3)
        #expect(!consumer.isOutdated(offset: 3, of: partition))
        try consumer.restart([partition: .offset(range.low)])
        #expect(consumer.isOutdated(offset: 3, of: partition))
        try Self.poll(consumer, { offsets[0]?.last == range.high - 1 }, record)
        #expect(offsets[0] == Array(range.low..<range.high))
        #expect(offsets[1] == Array(0..<5))
        consumer.close()
    }

    @Test("a second member gets partitions only after the first has released them")
    func handOver() throws {
        let cluster = try MockCluster()
        cluster.createTopic("topic", partitions: 2)
        let first = try Self.consumer(cluster, .cooperativeSticky)
        var isAssigned = false
        let batch = first.makeBatch(capacity: 10)
        let deadline = ContinuousClock.now + .seconds(40)
        while !isAssigned, ContinuousClock.now < deadline {
            try first.poll(into: batch, waitMilliseconds: 50)
            batch.removeAll()
            for change in first.drainRebalances() where change.kind == .assigned {
                try first.accept(change.partitions, positions: [:])
                isAssigned = !change.partitions.isEmpty
            }
        }
        let second = try Self.consumer(cluster, .cooperativeSticky)
        let secondBatch = second.makeBatch(capacity: 10)
        var gained: [TopicPartition] = []
        var released: [TopicPartition] = []
        while gained.isEmpty, ContinuousClock.now < deadline {
            for (consumer, batch) in [(first, batch), (second, secondBatch)] {
                try consumer.poll(into: batch, waitMilliseconds: 20)
                batch.removeAll()
                for change in consumer.drainRebalances() {
                    switch change.kind {
                    case .assigned:
                        if consumer === second { gained += change.partitions }
                        try consumer.accept(change.partitions, positions: [:])
                    case .revoked, .lost:
                        released += change.partitions
                        try consumer.release(change.partitions)
                    }
                }
            }
        }
        #expect(gained.count == 1)
        #expect(released == gained)
        second.close()
        first.close()
    }
}
