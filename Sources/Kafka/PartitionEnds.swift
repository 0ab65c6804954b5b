/// Ends and progress of partitions that are being read.
struct PartitionEnds {
    private struct Partition {
        static let unknownEnd = Int64.max
        var name: TopicPartition
        /// The offset at which the read ends; `unknownEnd` until the broker reports it.
        var end = unknownEnd
        /// Number of records read.
        var count = 0
        /// The offset after the last record read; `nil` before the first.
        var next: Int64?
        var isReached = false
    }

    /// Partitions by input and partition number; `nil` for partitions that were not requested.
    private var partitions: [[Partition?]] = []
    private var unfinishedCount: Int

    /// `index`: returns the index of a topic.
    init(_ names: some Collection<TopicPartition>, index: (String) -> Int) {
        unfinishedCount = names.count
        for name in names {
            let input = index(name.topic)
            while partitions.count <= input { partitions.append([]) }
            while partitions[input].count <= Int(name.partition) { partitions[input].append(nil) }
            partitions[input][Int(name.partition)] = Partition(name: name)
        }
    }

    var areAllReached: Bool { unfinishedCount == 0 }

    /// The end offsets of finished partitions.
    var reached: [TopicPartition: Int64] {
        var ends: [TopicPartition: Int64] = [:]
        for case let partition? in partitions.joined() where partition.isReached {
            ends[partition.name] = partition.end
        }
        return ends
    }

    /// Number of records read, offset after the last one, and whether the end was reached.
    var progress: [(name: TopicPartition, count: Int, next: Int64?, isReached: Bool)] {
        partitions.joined().compactMap { $0 }.map { ($0.name, $0.count, $0.next, $0.isReached) }
    }

    /// The unfinished partitions, up to five, for an error.
    var text: String {
        let names = partitions.joined().compactMap { $0 }.filter { !$0.isReached }.map(\.name.description)
        let shown = names.prefix(5).joined(separator: ", ")
        return names.count > 5 ? "\(shown) and \(names.count - 5) more" : shown
    }

    /// Returns whether the end is known, or the partition is finished or not requested.
    func isKnown(_ input: Int, _ partition: Int32) -> Bool { end(input, partition) != Partition.unknownEnd }

    mutating func set(_ end: Int64, _ input: Int, _ partition: Int32) { partitions[input][Int(partition)]?.end = end }

    /// Returns whether a record is before the end of an unfinished partition; `true` if the end is unknown.
    func isBefore(_ offset: Int64, _ input: Int, _ partition: Int32) -> Bool { offset < end(input, partition) }

    /// Counts a record; marks the partition as finished if the record is the last.
    mutating func add(_ offset: Int64, _ input: Int, _ partition: Int32) {
        partitions[input][Int(partition)]?.count += 1
        partitions[input][Int(partition)]?.next = offset + 1
        if offset + 1 >= end(input, partition) { reach(input, partition) }
    }

    /// Marks a partition as finished.
    ///
    /// `offset`: the end reported by the broker; `nil` keeps the known end.
    /// - Returns: `false` if it was already finished, or was not requested.
    @discardableResult
    mutating func reach(_ input: Int, _ partition: Int32, at offset: Int64? = nil) -> Bool {
        guard isOpen(input, partition) else { return false }
        if let offset { partitions[input][Int(partition)]?.end = offset }
        partitions[input][Int(partition)]?.isReached = true
        unfinishedCount -= 1
        return true
    }

    /// Removes a partition.
    /// - Returns: `false` if it was not requested.
    mutating func drop(_ input: Int, _ partition: Int32) -> Bool {
        guard isRequested(input, partition) else { return false }
        if isOpen(input, partition) { unfinishedCount -= 1 }
        partitions[input][Int(partition)] = nil
        return true
    }

    private func isRequested(_ input: Int, _ partition: Int32) -> Bool {
        input < partitions.count && Int(partition) < partitions[input].count && partitions[input][Int(partition)] != nil
    }

    private func isOpen(_ input: Int, _ partition: Int32) -> Bool {
        isRequested(input, partition) && partitions[input][Int(partition)]?.isReached == false
    }

    /// Returns the end; -1 for finished partitions and those not requested.
    private func end(_ input: Int, _ partition: Int32) -> Int64 {
        guard input < partitions.count, Int(partition) < partitions[input].count,
            let found = partitions[input][Int(partition)],
            !found.isReached
        else { return -1 }
        return found.end
    }
}
