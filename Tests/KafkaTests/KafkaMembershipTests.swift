import Foundation
import Kafka
import KafkaMock
import TestSupport
import Testing

@Suite("A group member that leaves questions open", .blocking, .timeLimit(.minutes(10)))
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

    /// Polls until the group has said something, and leaves that unanswered.
    private static func nextChange(_ consumer: KafkaConsumer) throws -> KafkaRebalance {
        let batch = consumer.makeBatch(capacity: 10)
        let deadline = ContinuousClock.now + .seconds(60)
        while true {
            try consumer.poll(into: batch, waitMilliseconds: 50)
            batch.removeAll()
            if let change = consumer.takeRebalances().first { return change }
            try #require(ContinuousClock.now < deadline, "The group says nothing.")
        }
    }

    /// Runs `body` on a thread of its own, so that one that never returns fails the test instead of holding it.
    private static func expectEnd(of what: Comment, _ body: @escaping @Sendable () -> Void) {
        let isDone = DispatchSemaphore(value: 0)
        Thread {
            body()
            isDone.signal()
        }.start()
        #expect(isDone.wait(timeout: .now() + 60) == .success, what)
    }

    @Test(
        "ends abruptly as well as in order while an assignment waits for its answer",
        arguments: [KafkaAssignor.range, .cooperativeSticky], [false, true])
    func unansweredAssignment(_ assignor: KafkaAssignor, isTaken: Bool) throws {
        for isAbrupt in [true, false] {
            let cluster = try Self.cluster()
            nonisolated(unsafe) let consumer = try Self.consumer(cluster, assignor)
            if isTaken {
                #expect(try Self.nextChange(consumer).kind == .assigned)
            } else {
                // No call polls it: the assignment waits in the client library.
                let deadline = ContinuousClock.now + .seconds(60)
                let batch = consumer.makeBatch(capacity: 10)
                while !consumer.hasRebalance() {
                    try consumer.poll(into: batch, waitMilliseconds: 50)
                    batch.removeAll()
                    try #require(ContinuousClock.now < deadline, "The group says nothing.")
                }
            }
            Self.expectEnd(of: "\(assignor), abruptly: \(isAbrupt)") {
                isAbrupt ? consumer.abandon() : consumer.close()
            }
        }
    }

    @Test(
        "leaves in order when partitions that it holds back from fetching are revoked",
        arguments: [KafkaAssignor.range, .cooperativeSticky])
    func heldBack(_ assignor: KafkaAssignor) throws {
        let cluster = try Self.cluster()
        nonisolated(unsafe) let consumer = try Self.consumer(cluster, assignor)
        let change = try Self.nextChange(consumer)
        try consumer.accept([], positions: [:])
        if assignor == .cooperativeSticky { try consumer.accept([change.partitions[0]], positions: [:]) }
        Self.expectEnd(of: "\(assignor)") { consumer.close() }
    }

    @Test("is told that its partitions are lost although a revocation was already on its way to it")
    func lostWhileRevoked() throws {
        let cluster = try Self.cluster()
        let consumer = try Self.consumer(cluster, .range)
        let change = try Self.nextChange(consumer)
        try consumer.accept(change.partitions, positions: [:])
        // With eager assignment the first of these revokes; what comes after it, the library keeps to itself.
        cluster.fail(.heartbeat, atBroker: 1, with: .rebalancing, count: 1)
        cluster.fail(.heartbeat, atBroker: 1, with: .unknownMember, count: 3)
        let deadline = ContinuousClock.now + .seconds(60)
        while cluster.failuresLeft(.heartbeat, atBroker: 1) > 0, ContinuousClock.now < deadline { usleep(20_000) }
        #expect(cluster.failuresLeft(.heartbeat, atBroker: 1) == 0)
        #expect(try Self.nextChange(consumer).kind == .lost)
        consumer.abandon()
    }
}
