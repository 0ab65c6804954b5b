import Support

extension KafkaReader {
    /// Start of a read of one partition.
    package enum Start: Sendable {
        case position(KafkaPosition)
        /// The first record at or after this timestamp; if absent, the oldest record.
        case time(Timestamp)
        /// About this many records before the end, depending on gaps and on the end that the broker reports.
        case last(Int)
    }

    /// Reads partitions from their start to their current end; see ``KafkaReadToEnd``.
    ///
    /// `idleTimeoutMilliseconds`: time without records of unfinished partitions after which the read fails. `progress`:
    /// called after each poll; may throw to stop. `body`: called with each record before the end, in order within a
    /// partition.
    /// - Returns: the offset after the last record of each partition.
    /// - Throws: ``KafkaError``, retriable if no record arrives within the idleTimeout, and errors of both closures.
    @discardableResult
    package func readToEnd(
        _ starts: [TopicPartition: Start], idleTimeoutMilliseconds: Int = 10_000,
        progress: () throws -> Void = {}, body: (KafkaBatch, Int, KafkaMessage) throws -> Void
    ) throws -> [TopicPartition: Int64] {
        guard !starts.isEmpty else { return [:] }
        let read = try KafkaReadToEnd(self, starts, idleTimeoutMilliseconds: idleTimeoutMilliseconds)
        defer { read.stop() }
        while !read.isDone {
            _ = try read.step(waitMilliseconds: 100, body)
            try progress()
        }
        return read.ends
    }

    /// Resolves starts to positions; queries the brokers for times and record counts.
    func resolve(
        _ starts: [TopicPartition: Start], timeoutMilliseconds: Int = 5000
    ) throws(KafkaError) -> [TopicPartition: KafkaPosition] {
        var positions: [TopicPartition: KafkaPosition] = [:]
        var times: [TopicPartition: Timestamp] = [:]
        var tails: [TopicPartition: Int] = [:]
        for (partition, start) in starts {
            switch start {
            case .position(let position): positions[partition] = position
            case .time(let time): times[partition] = time
            case .last(let count): tails[partition] = count
            }
        }
        let ranges = try offsetRanges(of: tails.keys, timeoutMilliseconds: timeoutMilliseconds)
        for (partition, count) in tails {
            positions[partition] = ranges[partition].map { .offset(max($0.low, $0.high - Int64(count))) } ?? .beginning
        }
        let fallback = Timestamp(milliseconds: 0)
        let found = try offsets(
            of: Array(times.keys), atOrAfter: { times[$0] ?? fallback }, timeoutMilliseconds: timeoutMilliseconds)
        // A partition without a record at or after the time is read from the beginning, because reading more is safe.
        for partition in times.keys { positions[partition] = found[partition].map { .offset($0) } ?? .beginning }
        return positions
    }
}
