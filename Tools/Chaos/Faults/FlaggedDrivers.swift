import Domain
import Foundation
import Kafka

/// A driver in each partition who is flagged, and must remain so, also after another worker takes over its partition.
///
/// Every fix is from a mock provider. A flag takes fixes over three windows of ten seconds, so a worker that has
/// forgotten it does not flag the next fix.
final class FlaggedDrivers {
    private let environment: [String: String]
    private let drivers: [String]
    private var sequence = 0

    init(_ environment: [String: String], partitions: Int) throws {
        self.environment = environment
        drivers = (0..<Int32(partitions)).map { FaultInjector.driver("mock", of: $0, partitions) }
    }

    /// Sends fixes until all drivers are flagged.
    func raise(_ fleet: Fleet, _ lag: LagMonitor) throws {
        for _ in 0..<35 {
            try renew()
            try fleet.wait(seconds: 1)
        }
        // Every fix has its verdict by then.
        _ = try lag.waitUntilCaughtUp(seconds: 60)
        let verdicts = try flags()
        let missing = drivers.filter { verdicts[$0]?.last != true }
        guard missing.isEmpty else {
            throw ChaosError("The drivers \(missing) are not flagged after 35 s of mock fixes.")
        }
    }

    /// Sends one more fix of each driver.
    func renew() throws {
        let sender = try RecordSender(environment)
        for (partition, driver) in drivers.enumerated() {
            let fix = FaultInjector.fix(driver: driver, sequence: sequence, secondsAgo: 0, isMock: true)
            try sender.send(fix, key: driver, to: .rawLocations, partition: Int32(partition))
        }
        sequence += 1
        let count = try sender.finish()
        guard count.refused == 0 else { throw ChaosError("The broker refused \(count.refused) fixes.") }
    }

    /// What is not as it should be, in words.
    func findings() throws -> [String] {
        let verdicts = try flags()
        return drivers.compactMap { driver in
            let flags = verdicts[driver] ?? []
            let since = flags.drop { !$0 }
            if flags.count != sequence { return "\(driver) has \(flags.count) verdicts for \(sequence) fixes" }
            if since.isEmpty { return "\(driver) was never flagged" }
            return since.allSatisfy { $0 } ? nil : "\(driver) lost its flag: \(since.map { $0 ? "F" : "-" }.joined())"
        }
    }

    /// Of each driver, whether its verdicts say that it is flagged.
    private func flags() throws -> [String: [Bool]] {
        let configuration = KafkaConfiguration(
            bootstrapServers: environment["KAFKA_BOOTSTRAP_SERVERS"] ?? "", clientID: "chaos")
        let reader = try KafkaReader(configuration) { _ in }
        defer { reader.close() }
        let topic = (environment["SIGHTLINE_TOPIC_PREFIX"] ?? "") + PipelineTopic.locations.rawValue
        var flags: [String: [Bool]] = [:]
        let starts: [TopicPartition: KafkaReader.Start] = Dictionary(
            uniqueKeysWithValues: drivers.indices.map {
                (TopicPartition(topic: topic, partition: Int32($0)), .position(.beginning))
            })
        try reader.readToEnd(starts) { _, _, message in
            let key = message.key.string
            guard drivers.contains(key) else { return }
            flags[key, default: []].append(message.value?.string.contains(#""FLAGGED""#) ?? false)
        }
        return flags
    }
}
