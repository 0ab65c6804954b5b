import Lanes
import Tracking

extension KafkaReader {
    /// Where a read of one lane begins.
    package enum Start: Sendable {
        case position(KafkaPosition)
        /// The first record with this timestamp or a later one.
        case time(Timestamp)
        /// At most about this many records before the end.
        ///
        /// Brokers that count the end wrongly, and lanes with gaps, give somewhat more or fewer.
        case last(Int)
    }

    /// Reads each lane from its start to the end it has at that moment, all at once, and stops.
    ///
    /// Lanes are told to be at their end by the broker's end-of-lane event, which is exact where offsets listed are not.
    /// - Parameters:
    ///   - starts: where each lane begins.
    ///   - patienceMilliseconds: how long nothing may arrive before the read fails.
    ///   - batch: reused where the caller has one.
    ///   - progress: called after each poll; throwing gives up.
    ///   - body: gets every record, in order within a lane; its slices are valid during the call.
    /// - Returns: the offset after the last record of each lane.
    /// - Throws: ``KafkaError``, retriable when the broker stays silent, or what `body` and `progress` throw.
    @discardableResult
    package func readToEnd(
        _ starts: [KafkaLane: Start], patienceMilliseconds: Int = 10_000, batch: KafkaBatch? = nil,
        progress: () throws -> Void = {}, body: (KafkaBatch, Int, KafkaMessage) throws -> Void
    ) throws -> [KafkaLane: Int64] {
        guard !starts.isEmpty else { return [:] }
        let batch = batch ?? makeBatch(capacity: 4096)
        var ends: [KafkaLane: Int64] = [:]
        try start(resolve(starts))
        defer {
            batch.removeAll()
            stop()
        }
        let clock = ContinuousClock()
        var heard = clock.now
        while ends.count < starts.count {
            try poll(into: batch, waitMilliseconds: 100)
            if !batch.isEmpty { heard = clock.now }
            for index in 0..<batch.count {
                switch batch[index] {
                case .message(let message)?: try body(batch, index, message)
                case .end(let input, let lane, let offset)?:
                    ends[KafkaLane(topic: topic(at: input), partition: lane)] = offset
                case .failure(_, _, let error)?: if !error.isRetriable { throw error }
                case nil: break
                }
            }
            batch.removeAll()
            try progress()
            if heard.duration(to: clock.now) > .milliseconds(patienceMilliseconds) {
                throw KafkaError(
                    .timedOut, "\(starts.count - ends.count) of \(starts.count) lanes could not be read to their end.",
                    isRetriable: true)
            }
        }
        return ends
    }

    private func resolve(_ starts: [KafkaLane: Start]) throws(KafkaError) -> [KafkaLane: KafkaPosition] {
        var positions: [KafkaLane: KafkaPosition] = [:]
        var times: [KafkaLane: Timestamp] = [:]
        var tails: [KafkaLane: Int] = [:]
        for (lane, start) in starts {
            switch start {
            case .position(let position): positions[lane] = position
            case .time(let time): times[lane] = time
            case .last(let count): tails[lane] = count
            }
        }
        let marks = try watermarks(of: tails.keys)
        for (lane, count) in tails {
            positions[lane] = marks[lane].map { .offset(max($0.low, $0.high - Int64(count))) } ?? .beginning
        }
        let fallback = Timestamp(milliseconds: 0)
        let found = try offsets(of: Array(times.keys), atOrAfter: { times[$0] ?? fallback })
        // A lane without so late a record is read from its oldest: more is safe, less is not.
        for lane in times.keys { positions[lane] = found[lane].map { .offset($0) } ?? .beginning }
        return positions
    }
}
