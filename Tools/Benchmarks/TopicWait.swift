import Foundation
import Kafka
import Recordings

/// Wait for new topics, whose metadata may reach the brokers some time after their creation.
struct TopicWait {
    var timeout = Duration.seconds(30)
    var pauseSeconds = 0.1

    /// Checks again and again until no topic is missing.
    ///
    /// `missing` returns the names of the topics that are not visible yet. Its errors count as not visible if a later
    /// check may succeed.
    /// - Throws: ``InputError`` if topics are still missing at the end of the timeout, and errors of `missing`.
    func wait(until missing: () throws -> [String]) throws {
        let deadline = ContinuousClock.now + timeout
        while true {
            let reason: String
            do {
                let names = try missing()
                if names.isEmpty { return }
                reason = names.joined(separator: ", ")
            } catch let error as KafkaError where error.isRetriable || error.code == .topicMissing {
                reason = "\(error)"
            }
            guard ContinuousClock.now < deadline else {
                throw InputError("New topics were not visible on the cluster within \(timeout): \(reason)")
            }
            Thread.sleep(forTimeInterval: pauseSeconds)
        }
    }
}

extension TopicWait {
    /// Waits until the brokers report the topics with all partitions, and every leader of a partition its offsets.
    func wait(for topics: [String], partitions: Int, with admin: KafkaAdmin) throws {
        let all = topics.flatMap { topic in
            (0..<Int32(partitions)).map { TopicPartition(topic: topic, partition: $0) }
        }
        try wait {
            let counts = try admin.partitionCounts(of: topics)
            let absent = topics.filter { counts[$0] != partitions }
            guard absent.isEmpty else { return absent }
            let found = try admin.offsetRanges(of: all)
            return all.filter { found[$0] == nil }.map { "\($0)" }
        }
    }
}
