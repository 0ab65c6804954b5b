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

    /// Reads each lane from its start to the end it has at that moment, all at once, and stops; see ``KafkaReadToEnd``.
    ///
    /// - Parameters:
    ///   - starts: where each lane begins.
    ///   - patienceMilliseconds: how long nothing may arrive of the lanes still to be read before the read fails.
    ///   - batch: reused where the caller has one.
    ///   - progress: called after each poll; throwing gives up.
    ///   - body: gets every record before the end, in order within a lane; its slices are valid during the call.
    /// - Returns: the end of each lane: the offset after its last record read.
    /// - Throws: ``KafkaError``, retriable when the broker stays silent, or what `body` and `progress` throw.
    @discardableResult
    package func readToEnd(
        _ starts: [KafkaLane: Start], patienceMilliseconds: Int = 10_000, batch: KafkaBatch? = nil,
        progress: () throws -> Void = {}, body: (KafkaBatch, Int, KafkaMessage) throws -> Void
    ) throws -> [KafkaLane: Int64] {
        guard !starts.isEmpty else { return [:] }
        let read = try KafkaReadToEnd(self, starts, patienceMilliseconds: patienceMilliseconds, batch: batch)
        defer { read.stop() }
        while !read.isDone {
            _ = try read.step(waitMilliseconds: 100, body)
            try progress()
        }
        return read.ends
    }

    /// The position at which each lane begins.
    func resolve(
        _ starts: [KafkaLane: Start], timeoutMilliseconds: Int = 5000
    ) throws(KafkaError) -> [KafkaLane: KafkaPosition] {
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
        let marks = try watermarks(of: tails.keys, timeoutMilliseconds: timeoutMilliseconds)
        for (lane, count) in tails {
            positions[lane] = marks[lane].map { .offset(max($0.low, $0.high - Int64(count))) } ?? .beginning
        }
        let fallback = Timestamp(milliseconds: 0)
        let found = try offsets(
            of: Array(times.keys), atOrAfter: { times[$0] ?? fallback }, timeoutMilliseconds: timeoutMilliseconds)
        // A lane without so late a record is read from its oldest: more is safe, less is not.
        for lane in times.keys { positions[lane] = found[lane].map { .offset($0) } ?? .beginning }
        return positions
    }
}
