import Foundation
import Kafka
import KafkaMock
import TestSupport
import Testing

@Suite("Group member with unanswered rebalances", .blocking, .timeLimit(.minutes(10)))
struct KafkaMembershipTests {
    private static func consumer(_ cluster: MockCluster, _ assignor: KafkaAssignor) throws -> KafkaConsumer {
        var group = KafkaGroupSettings(group: "group", assignor: assignor)
        group.sessionTimeoutMilliseconds = 6000
        return try KafkaConsumer(cluster.configuration, group: group, topics: ["topic"]) { _ in }
    }

    private static func cluster() throws -> MockCluster {
        let cluster = try MockCluster()
        cluster.createTopic("topic", partitions: 2)
        return cluster
    }

    /// Returns the next rebalance without accepting or releasing its partitions.
    private static func nextChange(_ consumer: KafkaConsumer) throws -> KafkaRebalance {
        let batch = consumer.makeBatch(capacity: 10)
        let deadline = ContinuousClock.now + .seconds(60)
        while true {
            try consumer.poll(into: batch, waitMilliseconds: 50)
            batch.removeAll()
            if let change = consumer.drainRebalances().first { return change }
            try #require(ContinuousClock.now < deadline, "No rebalance within a minute.")
        }
    }

    /// Expects that `body` returns within a minute; runs it on a new thread.
    private static func expectReturn(of call: Comment, _ body: @escaping @Sendable () -> Void) {
        let isDone = DispatchSemaphore(value: 0)
        Thread {
            body()
            isDone.signal()
        }.start()
        #expect(isDone.wait(timeout: .now() + 60) == .success, call)
    }

    @Test(
        "a member with an unanswered assignment can close gracefully and abruptly",
        arguments: [KafkaAssignor.range, .cooperativeSticky], [false, true])
    func unansweredAssignment(_ assignor: KafkaAssignor, isDrained: Bool) throws {
        for isAbrupt in [true, false] {
            let cluster = try Self.cluster()
            nonisolated(unsafe) let consumer = try Self.consumer(cluster, assignor)
            if isDrained {
                #expect(try Self.nextChange(consumer).kind == .assigned)
            } else {
                // The assignment is not drained, so it is pending in the client.
                let deadline = ContinuousClock.now + .seconds(60)
                let batch = consumer.makeBatch(capacity: 10)
                while !consumer.hasRebalance() {
                    try consumer.poll(into: batch, waitMilliseconds: 50)
                    batch.removeAll()
                    try #require(ContinuousClock.now < deadline, "No rebalance within a minute.")
                }
            }
            Self.expectReturn(of: "\(assignor), abruptly: \(isAbrupt)") {
                isAbrupt ? consumer.abandon() : consumer.close()
            }
        }
    }

    @Test(
        "a member that has not accepted all assigned partitions can close",
        arguments: [KafkaAssignor.range, .cooperativeSticky])
    func partialAcceptance(_ assignor: KafkaAssignor) throws {
        let cluster = try Self.cluster()
        nonisolated(unsafe) let consumer = try Self.consumer(cluster, assignor)
        let change = try Self.nextChange(consumer)
        try consumer.accept([], positions: [:])
        if assignor == .cooperativeSticky { try consumer.accept([change.partitions[0]], positions: [:]) }
        Self.expectReturn(of: "\(assignor)") { consumer.close() }
    }

    @Test("lost partitions are reported, even while a revocation is pending")
    func lostWhileRevoked() throws {
        let cluster = try Self.cluster()
        let consumer = try Self.consumer(cluster, .range)
        let change = try Self.nextChange(consumer)
        try consumer.accept(change.partitions, positions: [:])
        // With eager assignment, the first error revokes the partitions; librdkafka does not report later errors.
        cluster.fail(.heartbeat, atBroker: 1, with: .rebalancing, count: 1)
        cluster.fail(.heartbeat, atBroker: 1, with: .unknownMember, count: 3)
        let deadline = ContinuousClock.now + .seconds(60)
        while cluster.failuresLeft(.heartbeat, atBroker: 1) > 0, ContinuousClock.now < deadline { usleep(20_000) }
        #expect(cluster.failuresLeft(.heartbeat, atBroker: 1) == 0)
        #expect(try Self.nextChange(consumer).kind == .lost)
        consumer.abandon()
    }
}
