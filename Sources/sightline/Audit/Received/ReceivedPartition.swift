/// How much a client has received of a channel's records in one partition.
struct ReceivedPartition {
    /// What an event was to the client when it came.
    enum Outcome: Equatable {
        /// It came in its place; `skipped` records before it had not come.
        case inOrder(skipped: Int)
        /// It came after one that follows it in the partition.
        case late
        /// It had come before.
        case again
        /// A state in full had told it before.
        case alreadyTold
        /// It comes before where the log begins.
        case beforeLog
    }

    private enum State {
        case pending, received, told
    }

    let topic: ChannelRecords.Partition
    /// The first record that the client had not had when the log began.
    private let start: Int
    private var states: [State]
    /// The record after the last one that was received, told, or said to be there.
    private(set) var reached: Int
    /// For records that had not come when a later one did: the line where that was.
    private var skippedAt: [Int: Int] = [:]

    /// Makes a partition of which nothing was received; `start`: how many records the client had before.
    init(_ topic: ChannelRecords.Partition, from start: Int) {
        self.topic = topic
        self.start = start
        reached = start
        states = Array(repeating: .pending, count: topic.records.count)
    }

    /// Takes in that the record at `place` came in a line of the log.
    mutating func take(_ place: Int, line: Int) -> Outcome {
        if place < start { return .beforeLog }
        switch states[place] {
        case .received: return .again
        case .told: return .alreadyTold
        case .pending: break
        }
        states[place] = .received
        skippedAt[place] = nil
        guard place >= reached else { return .late }
        let skipped = place - reached
        require(upTo: place, line: line)
        reached = place + 1
        return .inOrder(skipped: skipped)
    }

    /// Takes in that a line says that the client has the first `count` records: what has not come by then is missing.
    mutating func require(upTo count: Int, line: Int) {
        guard count > reached else { return }
        for place in reached..<count { skippedAt[place] = line }
        reached = count
    }

    /// Takes in that a state in full stands for the first `count` records.
    ///
    /// It stands for those after the last one received; what was left out before that one stays missing.
    /// - Returns: how many records it stands for.
    mutating func tell(upTo count: Int) -> Int {
        guard count > reached else { return 0 }
        for place in reached..<count { states[place] = .told }
        defer { reached = count }
        return count - reached
    }

    /// Records that were received.
    var receivedCount: Int { states.count { $0 == .received } }

    /// The records that should have been received and were not, each with the line by which it should have been.
    var missing: [(record: ChannelRecords.Record, line: Int)] {
        skippedAt.sorted { $0.key < $1.key }.map { (topic.records[$0.key], $0.value) }
    }

    /// Records after the last one received.
    var countBeyond: Int { states.count - reached }
}
