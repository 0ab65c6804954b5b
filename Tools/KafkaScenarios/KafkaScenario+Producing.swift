import Kafka
import Support

extension KafkaScenario {
    static let producing = [
        KafkaScenario("deliveries are reported in order, with tokens and offsets") { run in
            run.cluster.createTopic("topic", partitions: 2)
            let producer = try KafkaProducer(run.cluster.configuration) { _ in }
            let topic = try producer.topic("topic")
            for token in 0..<6 {
                ByteSlice.withBytes(of: "v") { value in
                    let result = producer.produce(
                        .init(key: value, value: value, timestamp: Timestamp(milliseconds: 5)), to: topic,
                        partition: Int32(token % 2), token: token)
                    if case .queued = result { return }
                    run.observe("not queued: \(token)")
                }
            }
            run.observe("outstanding \(producer.outstanding)")
            var deliveries: [Int: Int64] = [:]
            let end = ContinuousClock.now + .seconds(30)
            while deliveries.count < 6, ContinuousClock.now < end {
                producer.requestFlush()
                try producer.pollDeliveries(waitMilliseconds: 50) { deliveries[$0.token] = $0.offset ?? -1 }
            }
            run.observe("offsets \(deliveries.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" })")
            run.observe("outstanding \(producer.outstanding)")
            producer.close()
        },
        KafkaScenario("refused writes are repeated once and in order") { run in
            run.cluster.createTopic("topic", partitions: 1)
            try run.fill("topic", count: 1)
            run.cluster.failWrites(count: 2)
            try run.fill("topic", count: 50, from: 1)
            let consumer = try run.consumer(.range)
            try run.poll([consumer], "end") { consumer.ends[0] != nil }
            run.observe("offsets \(consumer.received[0] ?? [])")
            run.observe("end \(consumer.ends[0] ?? -1)")
            consumer.close()
        },
        KafkaScenario("headers, tombstones and empty values arrive unchanged") { run in
            run.cluster.createTopic("topic", partitions: 1)
            let producer = try KafkaProducer(run.cluster.configuration) { _ in }
            let topic = try producer.topic("topic")
            ByteSlice.withBytes(of: "key") { key in
                var headers = KafkaHeaders(capacity: 2)
                ByteSlice.withBytes(of: "one") { headers.add("first", $0) }
                ByteSlice.withBytes(of: "two") { headers.add("second", $0) }
                _ = producer.produce(
                    .init(key: key, value: nil, timestamp: Timestamp(milliseconds: 7)), to: topic, partition: 0,
                    headers: &headers, token: 0)
                _ = producer.produce(
                    .init(key: key, value: .empty, timestamp: Timestamp(milliseconds: 8)), to: topic, partition: 0,
                    token: 1)
            }
            _ = try producer.flush(deadline: .now + .seconds(30)) { _, _ in }
            producer.close()
            let reader = try KafkaReader(run.cluster.configuration) { _ in }
            let name = TopicPartition(topic: "topic", partition: 0)
            try reader.readToEnd([name: .position(.beginning)]) { _, _, message in
                let pair = message.headers("first", "second")
                run.observe(
                    "\(message.offset) \(message.timestamp.milliseconds) \(message.key.string) "
                        + "\(message.value.map { "\($0.count) bytes" } ?? "tombstone") "
                        + "\(pair.first?.string ?? "none") \(pair.second?.string ?? "none")")
            }
            reader.close()
        },
    ]
}
