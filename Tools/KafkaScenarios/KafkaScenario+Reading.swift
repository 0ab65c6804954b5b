import Kafka
import Support

extension KafkaScenario {
    static let reading = [
        KafkaScenario("a reader reads from positions, times and tails to the end") { run in
            run.cluster.createTopic("topic", partitions: 1)
            try run.fill("topic", count: 20)
            let reader = try KafkaReader(run.cluster.configuration) { _ in }
            let name = TopicPartition(topic: "topic", partition: 0)
            let starts: [(String, KafkaReader.Start)] = [
                ("beginning", .position(.beginning)), ("offset", .position(.offset(15))),
                ("tail", .last(3)), ("end", .position(.end)),
            ]
            for (what, start) in starts {
                var offsets: [Int64] = []
                let ends = try reader.readToEnd([name: start]) { _, _, message in offsets.append(message.offset) }
                run.observe("\(what): \(offsets), end \(ends[name] ?? -1)")
            }
            // A cluster may answer with an earlier offset, such as that of the batch.
            var offsets: Set<Int64> = []
            try reader.readToEnd([name: .time(Timestamp(milliseconds: 1010))]) { _, _, message in
                offsets.insert(message.offset)
            }
            run.observe("all records since the time: \(offsets.isSuperset(of: 10..<20))")
            let range = try reader.offsetRange(of: name)
            run.observe("range \(range.low) to \(range.high)")
            let after = try reader.offsets(of: [name], atOrAfter: { _ in Timestamp(milliseconds: 99_999) })
            run.observe("after the last time: \(after.isEmpty ? "none" : "\(after[name] ?? -1)")")
            reader.close()
        },
        KafkaScenario("an offset beyond the end is reported, and a restart continues") { run in
            run.cluster.createTopic("topic", partitions: 1)
            try run.fill("topic", count: 10)
            let name = TopicPartition(topic: "topic", partition: 0)
            let consumer = try run.consumer(.cooperativeSticky)
            consumer.positions = [name: .offset(50)]
            try run.poll([consumer], "failure") { !consumer.failures.isEmpty }
            run.observe("failures \(consumer.failures)")
            run.observe("received \(consumer.received)")
            consumer.clear()
            try consumer.consumer.restart([name: .offset(7)])
            try run.poll([consumer], "end") { consumer.ends[0] != nil }
            run.observe("received \(consumer.received[0] ?? []), end \(consumer.ends[0] ?? -1)")
            consumer.close()
        },
        KafkaScenario("a paused partition continues after the last polled record") { run in
            run.cluster.createTopic("topic", partitions: 1)
            try run.fill("topic", count: 300)
            let name = TopicPartition(topic: "topic", partition: 0)
            let consumer = try run.consumer(.range)
            // A poll returns at most 100 records.
            try run.poll([consumer], "records") { consumer.received[0] != nil }
            let last = consumer.received[0]?.last ?? -1
            try consumer.consumer.pause([name])
            consumer.clear()
            try run.poll([consumer], seconds: 1)
            run.observe("received while paused: \(consumer.received)")
            try consumer.consumer.resume([name])
            try run.poll([consumer], "end") { consumer.ends[0] != nil }
            let offsets = consumer.received[0] ?? []
            run.observe("continues after the last record: \(offsets.first == last + 1)")
            run.observe("complete: \(offsets == Array(last + 1..<300))")
            consumer.close()
        },
        KafkaScenario("a restart discards prefetched records, with both assignors") { run in
            run.cluster.createTopic("topic", partitions: 2)
            try run.fill("topic", partitions: 2, count: 200)
            for assignor in [KafkaAssignor.range, .cooperativeSticky] {
                let consumer = try run.consumer(assignor, group: assignor.rawValue)
                try run.poll([consumer], "records") {
                    consumer.received[0] != nil && consumer.received[1] != nil
                }
                let other = consumer.received[1]?.last ?? -1
                consumer.clear()
                try consumer.consumer.restart([TopicPartition(topic: "topic", partition: 0): .offset(190)])
                // The end of the other partition may have been reported before.
                try run.poll([consumer], "all records") {
                    consumer.ends[0] != nil && (consumer.received[1]?.last ?? other) == 199
                }
                run.observe("\(assignor): \(consumer.received[0] ?? [])")
                let rest = consumer.received[1] ?? []
                run.observe("\(assignor): the other partition is complete: \(rest == Array(other + 1..<200))")
                consumer.close()
            }
        },
    ]
}
