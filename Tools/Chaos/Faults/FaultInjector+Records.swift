import Domain
import Foundation
import Kafka
import Support

extension FaultInjector {
    private static let poisons = [
        "", "{", "not json", "null", "[]", #"{"type":"weather","driver_id":"drv_1"}"#,
        #"{"type":"location","driver_id":"drv_1","payload":{"latitude":"48.1","longitude":11.5,"timestamp":1770000000000}}"#,
        #"{"type":"location","driver_id":"drv_1","payload":{"latitude":91,"longitude":11.5,"timestamp":1770000000000}}"#,
        #"{"type":"location","driver_id":"other","payload":{"latitude":48.1,"longitude":11.5,"timestamp":1}}"#,
        "{\"note\":\"" + String(repeating: "x", count: 20_000) + "\"}", "\u{0}\u{1}\u{2}",
    ]

    /// Writes each unreadable record of ``poisons`` to every partition of the topics raw and trips.
    /// - Returns: the number of acknowledged records.
    func sendPoison() throws -> Int {
        let sender = try RecordSender(pipeline.environment)
        for topic in [PipelineTopic.rawLocations, .trips] {
            for partition in 0..<Int32(partitions) {
                for poison in Self.poisons.shuffled(using: &generator) {
                    try sender.send(poison, key: "drv_1", to: topic, partition: partition)
                }
            }
        }
        return try sender.finish().sent
    }

    /// Sends records with Kafka timestamps of up to two days in the past or future.
    func jumpTimestamps() throws -> String {
        let sender = try RecordSender(pipeline.environment)
        let day = 86_400.0
        let jumps = [0, 300, -300, 3000, -10_800, 10_800, -2 * day, 2 * day, 0].shuffled(using: &generator)
        for (sequence, seconds) in jumps.enumerated() {
            for partition in 0..<Int32(partitions) {
                let driver = driver("gateway", of: partition)
                let fix = Self.fix(driver: driver, sequence: sequence, secondsAgo: 0)
                try sender.send(fix, key: driver, to: .rawLocations, partition: partition, secondsAhead: seconds)
            }
            try fleet.wait(seconds: 0.5)
        }
        let count = try sender.finish()
        return "\(count.sent) records with timestamps off by up to two days, \(count.refused) refused by the broker"
    }

    /// Sends batches of 500 and 1,000 fixes and unreadable records of nearly 1 MB to every partition.
    func sendGiantBatches() throws -> String {
        let sender = try RecordSender(pipeline.environment)
        for partition in 0..<Int32(partitions) {
            let driver = driver("offline", of: partition)
            let fixes = (0..<500).map { Self.fix(driver: driver, sequence: $0, secondsAgo: 600 - Double($0)) }
            let unreadable = (0..<500).map { _ in
                #"{"latitude":91,"note":""# + String(repeating: "x", count: 1800) + "\"}"
            }
            let records = [
                Self.batch(fixes, driver), Self.batch(unreadable, driver), Self.batch(fixes + fixes, driver),
                String(repeating: "[", count: 900_000), "{\"note\":\"" + String(repeating: "y", count: 900_000) + "\"}",
            ]
            for record in records.shuffled(using: &generator) {
                try sender.send(record, key: driver, to: .rawLocations, partition: partition)
            }
        }
        return "\(try sender.finish().sent) records of up to 1 MB"
    }

    /// Returns a driver id that belongs to `partition` as a record key.
    private func driver(_ prefix: String, of partition: Int32) -> String {
        var number = 0
        while true {
            let name = "\(prefix)_\(number)"
            let own = ByteSlice.withBytes(of: name) { murmur2Partition(key: $0, count: Int32(partitions)) }
            if own == partition { return name }
            number += 1
        }
    }

    private static func fix(driver: String, sequence: Int, secondsAgo: Double) -> String {
        let milliseconds = Int64((Date().timeIntervalSince1970 - secondsAgo) * 1000)
        let payload =
            #"{"latitude":\#(48.1 + Double(sequence) * 0.00005),"longitude":11.5,"accuracy_meters":5,"#
            + #""timestamp":\#(milliseconds)}"#
        return #"{"type":"location","driver_id":"\#(driver)","sequence":\#(sequence),"payload":\#(payload)}"#
    }

    private static func batch(_ fixes: [String], _ driver: String) -> String {
        #"{"type":"location_batch","driver_id":"\#(driver)","locations":["# + fixes.joined(separator: ",") + "]}"
    }
}

/// Producer of the records that faults send.
private final class RecordSender {
    struct Count {
        var sent = 0
        var refused = 0
    }

    private let producer: KafkaProducer
    private let prefix: String
    private var count = Count()

    init(_ environment: [String: String]) throws {
        prefix = environment["SIGHTLINE_TOPIC_PREFIX"] ?? ""
        let configuration = KafkaConfiguration(
            bootstrapServers: environment["KAFKA_BOOTSTRAP_SERVERS"] ?? "", clientID: "chaos")
        producer = try KafkaProducer(configuration) { _ in }
    }

    deinit { producer.close() }

    /// Queues a record whose timestamp is `secondsAhead` seconds after the current time.
    func send(
        _ value: String, key: String, to topic: PipelineTopic, partition: Int32, secondsAhead: Double = 0
    ) throws {
        let handle = try producer.topic(prefix + topic.rawValue)
        let timestamp = Timestamp(milliseconds: Int64((Date().timeIntervalSince1970 + secondsAhead) * 1000))
        let result = ByteSlice.withBytes(of: key) { key in
            Array(value.utf8).withUnsafeBytes { value in
                let record = KafkaProducer.Record(key: key, value: ByteSlice(value), timestamp: timestamp)
                return producer.produce(record, to: handle, partition: partition, token: 0)
            }
        }
        guard case .queued = result else { throw ChaosError("Cannot queue a record for \(topic): \(result)") }
        count.sent += 1
    }

    /// Waits until the broker has acknowledged or refused all records.
    func finish() throws -> Count {
        let isDone = try producer.flush(deadline: .now + .seconds(20)) { _, error in
            if error != nil { count.refused += 1 }
        }
        guard isDone else { throw ChaosError("The broker did not acknowledge the fault's records within 20 s.") }
        count.sent -= count.refused
        return count
    }
}
