import Kafka
import Support

extension KafkaScenario {
    private static func name(_ partition: Int32) -> TopicPartition {
        TopicPartition(topic: "topic", partition: partition)
    }

    static let groups = [
        KafkaScenario("with the range assignor, a joining member revokes everything") { run in
            run.cluster.createTopic("topic", partitions: 2)
            let first = try run.consumer(.range)
            try run.poll([first], "assignment") { first.assigned.count == 2 }
            let second = try run.consumer(.range)
            try run.poll([first, second], "rebalance") { first.assigned.count == 1 && second.assigned.count == 1 }
            // The number of generations until both have a partition differs.
            run.observe("first \(first.rebalances.prefix(2))")
            run.observe("all partitions: \(first.assigned.union(second.assigned).sorted())")
            second.close()
            try run.poll([first], "return") { first.assigned.count == 2 }
            run.observe("first has \(first.assigned.sorted())")
            first.close()
        },
        KafkaScenario("with the cooperative assignor, only the moving partition is revoked") { run in
            run.cluster.createTopic("topic", partitions: 2)
            let first = try run.consumer(.cooperativeSticky)
            try run.poll([first], "assignment") { first.assigned.count == 2 }
            let second = try run.consumer(.cooperativeSticky)
            try run.poll([first, second], "rebalance") { first.assigned.count == 1 && second.assigned.count == 1 }
            run.observe("revocations of one partition: \(first.rebalances.count { $0.hasPrefix("revoked") })")
            run.observe(
                "revoked partitions: \(first.rebalances.filter { $0.hasPrefix("revoked") }.map { $0.filter(\.isNumber).count })"
            )
            second.close(abruptly: true)
            try run.poll([first], "takeover") { first.assigned.count == 2 }
            run.observe("first has \(first.assigned.sorted()) after the second crashed")
            first.close()
        },
        KafkaScenario("stored offsets are committed with metadata, and a restart does not lose them") { run in
            run.cluster.createTopic("topic", partitions: 2)
            try run.fill("topic", partitions: 2, count: 30)
            let consumer = try run.consumer(.cooperativeSticky)
            try run.poll([consumer], "records") { consumer.ends.count == 2 }
            let stored = consumer.consumer.storeOffset(
                input: 0, partition: 0, KafkaCommit(offset: 12, metadata: "text"))
            run.observe("stored \(stored)")
            run.observe(
                "stored elsewhere \(consumer.consumer.storeOffset(input: 0, partition: 9, KafkaCommit(offset: 1)))")
            try consumer.consumer.restart([name(0): .offset(20)])
            try consumer.consumer.commit()
            let commits = try consumer.consumer.commits(of: [name(0), name(1)])
            run.observe("committed \(commits[name(0)].map { "\($0.offset) \($0.metadata)" } ?? "none")")
            run.observe("other \(commits[name(1)] == nil ? "none" : "committed")")
            consumer.close()
        },
        KafkaScenario("a member that does not poll loses its partitions and cannot commit") { run in
            run.cluster.createTopic("topic", partitions: 1)
            try run.fill("topic", count: 5)
            let slow = try run.consumer(.range, pollInterval: 7000)
            try run.poll([slow], "records") { slow.ends[0] != nil }
            slow.consumer.storeOffset(input: 0, partition: 0, KafkaCommit(offset: 3))
            let other = try run.consumer(.range, pollInterval: 60_000)
            try run.poll([other], "takeover") { other.assigned.count == 1 }
            run.observe("the other has \(other.assigned.sorted())")
            run.observe("lost \(slow.consumer.arePartitionsLost)")
            do {
                try slow.consumer.commit()
                run.observe("committed")
            } catch {
                run.observe("commit failed")
            }
            let commits = try other.consumer.commits(of: [name(0)])
            run.observe("committed \(commits[name(0)].map { "\($0.offset)" } ?? "none")")
            slow.close(abruptly: true)
            other.close()
        },
        KafkaScenario("partitions left out of an answer are fetched when they are added") { run in
            run.cluster.createTopic("topic", partitions: 2)
            try run.fill("topic", partitions: 2, count: 10)
            for assignor in [KafkaAssignor.range, .cooperativeSticky] {
                let consumer = try run.consumer(assignor, group: "\(assignor.rawValue)-later")
                var isAccepted = false
                let batch = consumer.consumer.makeBatch(capacity: 100)
                let end = ContinuousClock.now + .seconds(60)
                while !isAccepted, ContinuousClock.now < end {
                    try consumer.consumer.poll(into: batch, waitMilliseconds: 50)
                    batch.removeAll()
                    for change in consumer.consumer.drainRebalances() where change.kind == .assigned {
                        try consumer.consumer.accept([], positions: [:])
                        isAccepted = true
                    }
                }
                try run.poll([consumer], seconds: 1)
                run.observe("\(assignor): before \(consumer.received)")
                try consumer.consumer.accept([name(1)], positions: [name(1): .offset(8)])
                try run.poll([consumer], "end") { consumer.ends[1] != nil }
                run.observe("\(assignor): after \(consumer.received)")
                consumer.close()
            }
        },
    ]
}
