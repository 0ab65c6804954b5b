/// Progress of a client through the records of one channel in one partition.
struct ReceivedPartition {
    private enum State {
        case pending, received, inSnapshot
    }

    let topic: ChannelRecords.Partition
    /// Index of the first record that the client did not have at its first subscription.
    private let start: Int
    private var states: [State]
    /// Index after the last record that was received, replaced or required.
    private var reached: Int
    /// Indices of missing records, with the line of the log that required them.
    private var skippedAt: [Int: Int] = [:]

    /// Creates the progress of a client that had `start` records before its first subscription.
    init(_ topic: ChannelRecords.Partition, from start: Int) {
        self.topic = topic
        self.start = start
        reached = start
        states = Array(repeating: .pending, count: topic.records.count)
    }

    /// Applies a received record and returns its difference; `nil` if the record is correct.
    mutating func receive(_ index: Int, line: Int) -> (kind: ClientReport.Kind, what: String)? {
        if index < start { return (.duplicate, "the client had it before its first subscription") }
        switch states[index] {
        case .received: return (.duplicate, "it was received before")
        case .inSnapshot: return (.duplicate, "a full snapshot contained it")
        case .pending: break
        }
        states[index] = .received
        skippedAt[index] = nil
        guard index >= reached else { return (.outOfOrder, "a later record of its partition was received before") }
        require(upTo: index, line: line)
        reached = index + 1
        return nil
    }

    /// Requires the first `count` records; the records from ``reached`` on are missing until they are received.
    mutating func require(upTo count: Int, line: Int) {
        guard count > reached else { return }
        for index in reached..<count { skippedAt[index] = line }
        reached = count
    }

    /// Applies a full snapshot that contains the first `count` records.
    ///
    /// The snapshot replaces the records from ``reached`` on; earlier missing records stay missing.
    /// - Returns: the number of replaced records.
    mutating func applySnapshot(upTo count: Int) -> Int {
        guard count > reached else { return 0 }
        for index in reached..<count { states[index] = .inSnapshot }
        defer { reached = count }
        return count - reached
    }

    var receivedCount: Int { states.count { $0 == .received } }

    /// The missing records, with the line of the log that required them.
    var missing: [(record: ChannelRecords.Record, line: Int)] {
        skippedAt.sorted { $0.key < $1.key }.map { (topic.records[$0.key], $0.value) }
    }

    /// The number of records after the last record that was received, replaced or required.
    var countBeyond: Int { states.count - reached }
}
