/// Read of partitions from a start to their current end, in steps.
///
/// The first fetch of a partition returns its exact end, unlike a query of offsets. Create only one
/// read at a time per reader. Used on the reader's thread.
package final class KafkaReadToEnd {
    package struct Progress: Sendable {
        package var read = 0
        /// Approximate records left, including gaps; `nil` before the first response.
        package var left: Int64?

        package init(read: Int = 0, left: Int64? = nil) {
            self.read = read
            self.left = left
        }
    }

    private let reader: KafkaReader
    private let batch: KafkaBatch
    private let idleTimeout: Duration
    private var lastReceived = ContinuousClock.now
    private var partitions: PartitionEnds
    private var isStopped = false

    /// Looks up the start offsets, which blocks, and starts reading.
    ///
    /// `reader`: must read nothing else meanwhile. `idleTimeoutMilliseconds`: time without records of unfinished
    /// partitions after which a step fails. `timeoutMilliseconds`: timeout of each of up to three look-ups.
    package init(
        _ reader: KafkaReader, _ starts: [TopicPartition: KafkaReader.Start], idleTimeoutMilliseconds: Int = 10_000,
        timeoutMilliseconds: Int = 5000
    ) throws(KafkaError) {
        self.reader = reader
        batch = reader.makeBatch(capacity: 4096)
        idleTimeout = .milliseconds(idleTimeoutMilliseconds)
        partitions = PartitionEnds(starts.keys) { reader.index(of: $0) }
        if !starts.isEmpty { try reader.start(reader.resolve(starts, timeoutMilliseconds: timeoutMilliseconds)) }
        // The time of the look-ups does not count towards the idleTimeout.
        lastReceived = .now
    }

    deinit { stop() }

    /// Whether every partition was read to its end or dropped.
    package var isDone: Bool { partitions.areAllReached }

    /// The offset after the last record of each partition that was read to its end.
    package var ends: [TopicPartition: Int64] { partitions.reached }

    /// Polls once, and passes each record before the end to `body`, in order within a partition.
    /// - Returns: whether anything was polled.
    /// - Throws: ``KafkaError``, retriable if no record arrives within the idleTimeout, and errors of `body`.
    package func step(waitMilliseconds: Int, _ body: (KafkaBatch, Int, KafkaMessage) throws -> Void) throws -> Bool {
        guard !isDone else { return false }
        try reader.poll(into: batch, waitMilliseconds: waitMilliseconds)
        defer { batch.removeAll() }
        if try deliver(body) {
            lastReceived = .now
        } else if lastReceived.duration(to: .now) > idleTimeout {
            throw KafkaError(
                .timedOut, "These partitions could not be read to their end: \(partitions.text).", isRetriable: true)
        }
        let hasMore = !batch.isEmpty
        if isDone { stop() }
        return hasMore
    }

    /// Stops reading these partitions; ends the read if no others are unfinished.
    package func drop(_ names: some Collection<TopicPartition>) {
        guard !isStopped else { return }
        let dropped = names.filter { partitions.drop(reader.index(of: $0.topic), $0.partition) }
        if isDone { stop() } else if !dropped.isEmpty { reader.pause(dropped) }
    }

    /// Stops reading and discards fetched records; later calls have no effect.
    package func stop() {
        guard !isStopped else { return }
        isStopped = true
        batch.removeAll()
        reader.stop()
    }

    package var progress: [TopicPartition: Progress] {
        var found: [TopicPartition: Progress] = [:]
        for (name, count, next, isReached) in partitions.progress {
            let left =
                isReached ? 0 : reader.cachedOffsetRange(of: name).map { max(0, $0.high - max(next ?? $0.low, $0.low)) }
            found[name] = Progress(read: count, left: left)
        }
        return found
    }

    /// Passes the polled records before the partitions' ends to `body`.
    /// - Returns: whether a record or the end of an unfinished partition was polled.
    private func deliver(_ body: (KafkaBatch, Int, KafkaMessage) throws -> Void) throws -> Bool {
        var hasReceived = false
        for index in 0..<batch.count {
            switch batch[index] {
            case .message(let message)?:
                let (input, partition, offset) = (message.input, message.partition, message.offset)
                if !partitions.isKnown(input, partition),
                    let range = reader.cachedOffsetRange(
                        of: TopicPartition(topic: reader.topic(at: input), partition: partition))
                {
                    // The end is after an existing record, even if the broker reports a lower end.
                    partitions.set(max(range.high, offset + 1), input, partition)
                }
                guard partitions.isBefore(offset, input, partition) else {
                    partitions.reach(input, partition)
                    continue
                }
                hasReceived = true
                try body(batch, index, message)
                partitions.add(offset, input, partition)
            case .end(let input, let partition, let offset)?:
                hasReceived = partitions.reach(input, partition, at: offset) || hasReceived
            case .failure(_, _, _, let error)?: if !error.isRetriable { throw error }
            case nil: break
            }
        }
        return hasReceived
    }
}
