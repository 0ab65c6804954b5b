import Kafka

/// Assignment of a group's partitions to its members.
enum Assignor {
    /// Assigns contiguous ranges of each topic's partitions, as Kafka's range assignor.
    static func range(
        members: [String], counts: [(topic: String, partitions: Int)]
    ) -> [String: [TopicPartition]] {
        var result: [String: [TopicPartition]] = [:]
        let sorted = members.sorted()
        for (topic, count) in counts {
            var next = 0
            for (index, member) in sorted.enumerated() {
                let share = count / sorted.count + (index < count % sorted.count ? 1 : 0)
                result[member, default: []] += (next..<next + share).map {
                    TopicPartition(topic: topic, partition: Int32($0))
                }
                next += share
            }
        }
        return result
    }

    /// Assigns partitions evenly and moves as few as possible, as Kafka's cooperative sticky assignor.
    ///
    /// A partition that moves is left out until its owner has released it.
    static func cooperative(
        owned: [String: Set<TopicPartition>], counts: [(topic: String, partitions: Int)]
    ) -> [String: [TopicPartition]] {
        let all = counts.flatMap { topic, count in
            (0..<count).map { TopicPartition(topic: topic, partition: Int32($0)) }
        }
        let members = owned.keys.sorted()
        guard !members.isEmpty else { return [:] }
        var owner: [TopicPartition: String] = [:]
        for member in members {
            for partition in owned[member] ?? [] where owner[partition] == nil { owner[partition] = member }
        }
        let (floor, extra) = all.count.quotientAndRemainder(dividingBy: members.count)
        var result: [String: [TopicPartition]] = [:]
        var large = 0
        for partition in all {
            guard let member = owner[partition] else { continue }
            let count = result[member, default: []].count
            guard count < floor || (count == floor && large < extra) else { continue }
            if count == floor { large += 1 }
            result[member, default: []].append(partition)
        }
        let kept = Set(result.values.joined())
        for partition in all where !kept.contains(partition) {
            let target = members.min { (result[$0]?.count ?? 0, $0) < (result[$1]?.count ?? 0, $1) } ?? members[0]
            // A reserved place counts, so that the next round gives the released partition to this member.
            result[target, default: []].append(partition)
        }
        return result.reduce(into: [:]) { final, entry in
            final[entry.key] = entry.value.filter { owner[$0] == nil || owner[$0] == entry.key }
        }
    }
}
