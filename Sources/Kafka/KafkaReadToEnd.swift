/// A read of partitions, each from its start to the end that it has at that moment, in steps between which the caller
/// may do something else.
///
/// The end is what the broker says with the first fetch of a partition, which is exact where offsets listed are not:
/// the read ends there however many records go on arriving. A reader does one at a time. Belongs to the reader's
/// thread.
package final class KafkaReadToEnd {
    /// How far the read of one partition is.
    package struct Progress: Sendable {
        /// Records read so far.
        package var read = 0
        /// About how many are left: what the broker has said with its last answer, gaps counted as records; `nil`
        /// before the first.
        package var left: Int64?

        package init(read: Int = 0, left: Int64? = nil) {
            self.read = read
            self.left = left
        }
    }

    private let reader: KafkaReader
    private let batch: KafkaBatch
    private let patience: Duration
    private var heard = ContinuousClock.now
    private var partitions: PartitionEnds
    private var isStopped = false

    /// Looks up where to begin, which blocks, and begins.
    /// - Parameters:
    ///   - reader: reads nothing else meanwhile.
    ///   - starts: where each partition begins.
    ///   - patienceMilliseconds: how long nothing may arrive of the partitions still to be read before a step fails.
    ///   - timeoutMilliseconds: how long each of the up to three look-ups may take.
    ///   - batch: reused where the caller has one.
    /// - Throws: what a look-up fails with.
    package init(
        _ reader: KafkaReader, _ starts: [TopicPartition: KafkaReader.Start], patienceMilliseconds: Int = 10_000,
        timeoutMilliseconds: Int = 5000, batch: KafkaBatch? = nil
    ) throws(KafkaError) {
        self.reader = reader
        self.batch = batch ?? reader.makeBatch(capacity: 4096)
        patience = .milliseconds(patienceMilliseconds)
        partitions = PartitionEnds(starts.keys) { reader.index(of: $0) }
        if !starts.isEmpty { try reader.start(reader.resolve(starts, timeoutMilliseconds: timeoutMilliseconds)) }
        // The look-ups may have taken long.
        heard = .now
    }

    deinit { stop() }

    /// Whether every partition was read to its end.
    package var isDone: Bool { partitions.areAllReached }

    /// The offset after the last record of each partition that was read to its end.
    package var ends: [TopicPartition: Int64] { partitions.reached }

    /// Polls once.
    /// - Parameters:
    ///   - waitMilliseconds: how long to wait for the first record.
    ///   - body: gets every record before the end, in order within a partition; its slices are valid during the call.
    /// - Returns: whether anything arrived.
    /// - Throws: ``KafkaError``, retriable when the broker stays silent, or what `body` throws.
    package func step(
        waitMilliseconds: Int, _ body: (KafkaBatch, Int, KafkaMessage) throws -> Void
    ) throws -> Bool {
        guard !isDone else { return false }
        try reader.poll(into: batch, waitMilliseconds: waitMilliseconds)
        defer { batch.removeAll() }
        if try take(body) {
            heard = .now
        } else if heard.duration(to: .now) > patience {
            throw KafkaError(
                .timedOut, "These partitions could not be read to their end: \(partitions.text).", isRetriable: true)
        }
        let hasMore = !batch.isEmpty
        if isDone { stop() }
        return hasMore
    }

    /// Gives up partitions: nothing more of them is handed out, and their ends are not waited for.
    package func drop(_ names: some Collection<TopicPartition>) {
        guard !isStopped else { return }
        let dropped = names.filter { partitions.drop(reader.index(of: $0.topic), $0.partition) }
        if isDone { stop() } else if !dropped.isEmpty { reader.pause(dropped) }
    }

    /// Ends the read where it is.
    package func stop() {
        guard !isStopped else { return }
        isStopped = true
        batch.removeAll()
        reader.stop()
    }

    /// How far each partition is.
    package var progress: [TopicPartition: Progress] {
        var found: [TopicPartition: Progress] = [:]
        for (name, count, next, isReached) in partitions.progress {
            let left =
                isReached ? 0 : reader.watermarksOfFetch(name).map { max(0, $0.high - max(next ?? $0.low, $0.low)) }
            found[name] = Progress(read: count, left: left)
        }
        return found
    }

    /// Hands over what was polled, up to the partitions' ends.
    /// - Returns: whether there was anything of a partition that is still to be read.
    private func take(_ body: (KafkaBatch, Int, KafkaMessage) throws -> Void) throws -> Bool {
        var isHeard = false
        for index in 0..<batch.count {
            switch batch[index] {
            case .message(let message)?:
                let (input, partition, offset) = (message.input, message.partition, message.offset)
                if !partitions.isKnown(input, partition),
                    let marks = reader.watermarksOfFetch(
                        TopicPartition(topic: reader.topic(at: input), partition: partition))
                {
                    // A record that is there lies before the end, whatever the broker says.
                    partitions.set(max(marks.high, offset + 1), input, partition)
                }
                guard partitions.isBefore(offset, input, partition) else {
                    partitions.reach(input, partition)
                    continue
                }
                isHeard = true
                try body(batch, index, message)
                partitions.note(offset, input, partition)
            case .end(let input, let partition, let offset)?:
                isHeard = partitions.reach(input, partition, at: offset) || isHeard
            case .failure(_, _, _, let error)?: if !error.isRetriable { throw error }
            case nil: break
            }
        }
        return isHeard
    }
}
