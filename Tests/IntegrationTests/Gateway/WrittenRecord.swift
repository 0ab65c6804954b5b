import Foundation
import Kafka
import Support

/// Record of a topic, with the values that tests of gateways and of push-worker compare.
struct WrittenRecord {
    var partition: Int32
    var key: String
    var value: String
    /// Timestamp of the record, which gateways set to the time of receipt.
    var receivedAt: Timestamp

    /// Returns all current records of a topic, which is named with the prefix.
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

    /// Sequence number in the value; `nil` for values other than locations of driver_client.py.
    var sequence: Int? {
        struct Location: Decodable {
            var sequence: Int
        }
        return try? JSONDecoder().decode(Location.self, from: Data(value.utf8)).sequence
    }

    /// Returns whether the record is in the partition that Kafka's Java client chooses for its key.
    func isInPartitionOfKey(of count: Int) -> Bool {
        ByteSlice.withBytes(of: key) { murmur2Partition(key: $0, count: Int32(count)) } == partition
    }
}
