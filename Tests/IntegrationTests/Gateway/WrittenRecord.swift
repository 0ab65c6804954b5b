import Foundation
import Kafka
import Support

/// A record that a gateway has written.
struct WrittenRecord {
    var partition: Int32
    var key: String
    var value: String
    var receivedAt: Timestamp

    /// Returns all current records of a topic; `topic`: its full name.
    static func all(of topic: String, on servers: String, partitions: Int) throws -> [WrittenRecord] {
        let reader = try KafkaReader(KafkaConfiguration(bootstrapServers: servers, clientID: "sightline-test")) { _ in }
        defer { reader.close() }
        let starts = (0..<partitions).map {
            (TopicPartition(topic: topic, partition: Int32($0)), KafkaReader.Start.position(.beginning))
        }
        var records: [WrittenRecord] = []
        try reader.readToEnd(Dictionary(uniqueKeysWithValues: starts)) { _, _, message in
            records.append(
                WrittenRecord(
                    partition: message.partition, key: message.key.string, value: message.value?.string ?? "",
                    receivedAt: message.timestamp))
        }
        return records
    }

    /// Sequence number of a location of driver_client.py.
    var sequence: Int? {
        struct Location: Decodable {
            var sequence: Int
        }
        return try? JSONDecoder().decode(Location.self, from: Data(value.utf8)).sequence
    }

    /// Whether the record is in the partition that Kafka's Java client chooses for its key.
    func isInPartitionOfKey(of count: Int) -> Bool {
        ByteSlice.withBytes(of: key) { murmur2Partition(key: $0, count: Int32(count)) } == partition
    }
}
