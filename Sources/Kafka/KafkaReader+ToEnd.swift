import Support

extension KafkaReader {
    /// Where a read of one partition begins.
    package enum Start: Sendable {
        case position(KafkaPosition)
        /// The first record with this timestamp or a later one.
        case time(Timestamp)
        /// At most about this many records before the end.
        ///
        /// Brokers that count the end wrongly, and partitions with gaps, give somewhat more or fewer.
        case last(Int)
    }

    /// Reads each partition from its start to the end it has at that moment, all at once, and stops; see
    /// ``KafkaReadToEnd``.
    ///
    /// - Parameters:
    ///   - starts: where each partition begins.
    ///   - patienceMilliseconds: how long nothing may arrive of the partitions still to be read before the read fails.
    ///   - batch: reused where the caller has one.
    ///   - progress: called after each poll; throwing gives up.
    ///   - body: gets every record before the end, in order within a partition; its slices are valid during the call.
    /// - Returns: the end of each partition: the offset after its last record read.
    /// - Throws: ``KafkaError``, retriable when the broker stays silent, or what `body` and `progress` throw.
    @discardableResult
    package func readToEnd(
        _ starts: [TopicPartition: Start], patienceMilliseconds: Int = 10_000, batch: KafkaBatch? = nil,
        progress: () throws -> Void = {}, body: (KafkaBatch, Int, KafkaMessage) throws -> Void
    ) throws -> [TopicPartition: Int64] {
        guard !starts.isEmpty else { return [:] }
        let read = try KafkaReadToEnd(self, starts, patienceMilliseconds: patienceMilliseconds, batch: batch)
        defer { read.stop() }
        while !read.isDone {
            _ = try read.step(waitMilliseconds: 100, body)
            try progress()
        }
        return read.ends
    }

    /// The position at which each partition begins.
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
        let marks = try watermarks(of: tails.keys, timeoutMilliseconds: timeoutMilliseconds)
        for (partition, count) in tails {
            positions[partition] = marks[partition].map { .offset(max($0.low, $0.high - Int64(count))) } ?? .beginning
        }
        let fallback = Timestamp(milliseconds: 0)
        let found = try offsets(
            of: Array(times.keys), atOrAfter: { times[$0] ?? fallback }, timeoutMilliseconds: timeoutMilliseconds)
        // A partition without so late a record is read from its oldest: more is safe, less is not.
        for partition in times.keys { positions[partition] = found[partition].map { .offset($0) } ?? .beginning }
        return positions
    }
}
