import Domain
import Foundation
import Kafka
import Logging
import Runtime
import Support
import Testing

/// Broker for integration tests, at the address in `SIGHTLINE_TEST_KAFKA`.
enum KafkaTestBroker {
    static let address = ProcessInfo.processInfo.environment["SIGHTLINE_TEST_KAFKA"]
    static var isAvailable: Bool { address != nil }
    static let hint: Comment = "SIGHTLINE_TEST_KAFKA (host:port) is not set; deploy/test starts a broker."

    static var configuration: KafkaConfiguration {
        KafkaConfiguration(bootstrapServers: address ?? "127.0.0.1:1", clientID: "sightline-test")
    }

    static var logger: Logger {
        var logger = Logger(label: "test")
        logger.logLevel = ProcessInfo.processInfo.environment["SIGHTLINE_TEST_LOG"] == nil ? .critical : .trace
        return logger
    }
}

/// Topics with a random prefix, deleted after the test.
struct KafkaTestTopics: Sendable {
    let names: TopicNames
    let partitions: Int

    /// Creates topics, to which it adds a random prefix, calls `body`, and deletes the topics.
    static func with(
        _ topics: [String], partitions: Int, _ body: (KafkaTestTopics) async throws -> Void
    ) async throws {
        let test = KafkaTestTopics(
            names: TopicNames(prefix: "t\(UInt32.random(in: 1...UInt32.max))."), partitions: partitions)
        let admin = try KafkaAdmin(KafkaTestBroker.configuration) { _ in }
        _ = try admin.create(
            topics.map { KafkaAdmin.NewTopic(name: test.names.full($0), partitions: partitions, replication: 1) })
        do {
            try await body(test)
        } catch {
            _ = try? admin.delete(topics.map { test.names.full($0) })
            throw error
        }
        _ = try? admin.delete(topics.map { test.names.full($0) })
    }

    /// Appends records with timestamps from `start` in steps of 1 ms, and waits for their acknowledgement.
    func append(
        _ records: [(partition: Int32, key: String, value: String)], to topic: String, from start: Int64 = 1_000_000
    )
        throws
    {
        let producer = try KafkaProducer(KafkaTestBroker.configuration) { _ in }
        let handle = try producer.topic(names.full(topic))
        for (index, entry) in records.enumerated() {
            let result = ByteSlice.withBytes(of: entry.key) { key in
                ByteSlice.withBytes(of: entry.value) { value in
                    producer.produce(
                        .init(key: key, value: value, timestamp: Timestamp(milliseconds: start + Int64(index))),
                        to: handle, partition: entry.partition, token: index)
                }
            }
            guard case .queued = result else { throw KafkaTestFailure("A record was not queued: \(result)") }
        }
        var failures = 0
        let isDone = try producer.flush(deadline: .now + .seconds(20)) { _, error in failures += error == nil ? 0 : 1 }
        guard isDone, failures == 0 else { throw KafkaTestFailure("Not all records were acknowledged.") }
    }

    /// Copy of a record for comparison in tests.
    struct Stored: Equatable {
        var partition: Int32
        var offset: Int64
        var key: String
        var value: String
        var event: EventID?
        var timestamp: Int64
    }

    /// Returns all records of a topic, in offset order within each partition.
    func readAll(_ topic: String) throws -> [Stored] {
        let reader = try KafkaReader(KafkaTestBroker.configuration) { _ in }
        defer { reader.close() }
        var records: [Stored] = []
        let starts = (0..<Int32(partitions)).map {
            (TopicPartition(topic: names.full(topic), partition: $0), KafkaReader.Start.position(.beginning))
        }
        try reader.readToEnd(Dictionary(uniqueKeysWithValues: starts)) { _, _, message in
            let record = message.record
            records.append(
                Stored(
                    partition: record.partition, offset: record.offset, key: record.key.string,
                    value: record.value?.string ?? "",
                    event: record.event, timestamp: record.timestamp.milliseconds))
        }
        return records
    }

    /// Returns all records of a topic except duplicates, which do not advance their partition's watermark.
    func readDeduplicated(_ topic: String) throws -> [Stored] {
        var watermarks = [Watermark](repeating: Watermark(), count: partitions)
        return try readAll(topic).filter { record in
            record.event.map { watermarks[Int(record.partition)].advance(to: $0) } ?? true
        }
    }
}

struct KafkaTestFailure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
