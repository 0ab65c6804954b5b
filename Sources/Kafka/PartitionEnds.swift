/// Up to where each of several partitions is read, and how far each has been.
///
/// Asked for every record, so that partitions are found by number.
struct PartitionEnds {
    private struct Partition {
        static let unknownEnd = Int64.max
        var name: TopicPartition
        /// The offset that ends the read.
        var end = unknownEnd
        /// Records read.
        var count = 0
        /// The offset after the last record read; `nil` before the first.
        var next: Int64?
        var isReached = false
    }

    /// By input and partition; `nil` where a partition is not asked for.
    private var partitions: [[Partition?]] = []
    private var left: Int

    /// `index`: the number of a topic.
    init(_ names: some Collection<TopicPartition>, index: (String) -> Int) {
        left = names.count
        for name in names {
            let input = index(name.topic)
            while partitions.count <= input { partitions.append([]) }
            while partitions[input].count <= Int(name.partition) { partitions[input].append(nil) }
            partitions[input][Int(name.partition)] = Partition(name: name)
        }
    }

    var areAllReached: Bool { left == 0 }

    /// The ends of partitions that have been read.
    var reached: [TopicPartition: Int64] {
        var ends: [TopicPartition: Int64] = [:]
        for case let partition? in partitions.joined() where partition.isReached {
            ends[partition.name] = partition.end
        }
        return ends
    }

    /// Records read of each partition, and the offset after the last one; `isReached`: whether that is all.
    var progress: [(name: TopicPartition, count: Int, next: Int64?, isReached: Bool)] {
        partitions.joined().compactMap { $0 }.map { ($0.name, $0.count, $0.next, $0.isReached) }
    }

    /// The first of the partitions that are still to be read, for an error.
    var text: String {
        let names = partitions.joined().compactMap { $0 }.filter { !$0.isReached }.map(\.name.description)
        let shown = names.prefix(5).joined(separator: ", ")
        return names.count > 5 ? "\(shown) and \(names.count - 5) more" : shown
    }

    /// Whether the end is known, or of no interest any more.
    func isKnown(_ input: Int, _ partition: Int32) -> Bool { end(input, partition) != Partition.unknownEnd }

    mutating func set(_ end: Int64, _ input: Int, _ partition: Int32) { partitions[input][Int(partition)]?.end = end }

    /// Whether a record is to be read.
    func isBefore(_ offset: Int64, _ input: Int, _ partition: Int32) -> Bool { offset < end(input, partition) }

    /// Notes that a record was read, which may have been the last.
    mutating func note(_ offset: Int64, _ input: Int, _ partition: Int32) {
        partitions[input][Int(partition)]?.count += 1
        partitions[input][Int(partition)]?.next = offset + 1
        if offset + 1 >= end(input, partition) { reach(input, partition) }
    }

    /// Notes that a partition has been read.
    ///
    /// `offset`: where the broker says that the end is; what was set before unless given.
    /// - Returns: `false` when it had been read before, or was not asked for.
    @discardableResult
    mutating func reach(_ input: Int, _ partition: Int32, at offset: Int64? = nil) -> Bool {
        guard isOpen(input, partition) else { return false }
        if let offset { partitions[input][Int(partition)]?.end = offset }
        partitions[input][Int(partition)]?.isReached = true
        left -= 1
        return true
    }

    /// Forgets a partition.
    /// - Returns: `false` when it was not asked for.
    mutating func drop(_ input: Int, _ partition: Int32) -> Bool {
        guard isAsked(input, partition) else { return false }
        if isOpen(input, partition) { left -= 1 }
        partitions[input][Int(partition)] = nil
        return true
    }

    private func isAsked(_ input: Int, _ partition: Int32) -> Bool {
        input < partitions.count && Int(partition) < partitions[input].count && partitions[input][Int(partition)] != nil
    }

    private func isOpen(_ input: Int, _ partition: Int32) -> Bool {
        isAsked(input, partition) && partitions[input][Int(partition)]?.isReached == false
    }

    /// Nothing of a partition that was read, or was not asked for, lies before its end.
    private func end(_ input: Int, _ partition: Int32) -> Int64 {
        guard input < partitions.count, Int(partition) < partitions[input].count,
            let found = partitions[input][Int(partition)],
            !found.isReached
        else { return -1 }
        return found.end
    }
}
