import Kafka
import Logging
import Processing
import Support

extension SinkLoop {
    /// Connects to the store, however long it takes.
    /// - Returns: `false` when the worker was told to stop meanwhile.
    func connectPatiently() throws -> Bool {
        let sink = try withStoreErrors { try plan.makeSink() }
        self.sink = sink
        while frame.control.isRunning {
            if try attempt("connecting", { try sink.connect() }) != nil {
                isConnected = true
                return true
            }
            frame.status.beat()
            frame.control.pause(for: storeBackoff.next())
        }
        return false
    }

    /// Calls the store.
    /// - Returns: `nil` when the store is away for now; that is logged once, shown in the status and counted.
    /// - Throws: ``WorkerError`` when trying again is of no use.
    func attempt<Result>(_ action: String, _ body: () throws -> Result) throws -> Result? {
        do {
            let result = try body()
            if state.storeTrouble != nil {
                noteStore(trouble: nil)
                storeBackoff.reset()
                frame.logger.notice("The store answers again.")
            }
            return result
        } catch let error as any ClassifiedError where error.isRetriable {
            isConnected = false
            doubtPartitions()
            sink?.disconnect()
            metrics.retries.increment()
            if state.storeTrouble == nil {
                noteStore(trouble: "The store is unavailable: \(error)")
                frame.logger.warning(
                    "The store is unavailable; the worker keeps its partitions and retries.",
                    metadata: .of([.error: "\(error)", .reason: "\(action)"]))
            }
            return nil
        } catch {
            throw storeFailure(error)
        }
    }

    private func noteStore(trouble: String?) {
        state.take(.store(trouble: trouble))
        publishStatus()
    }

    /// Has the clocks of all partitions compared with the store's at the next opportunity.
    ///
    /// A partition with traffic finds out by itself that the store went back, a failover or a restart without the
    /// newest data, as its next write does not fit. One that has fallen silent would lack its last records until the
    /// next.
    private func doubtPartitions() { for partition in heldPartitions { partition.isDoubtful = true } }

    private func withStoreErrors<Result>(_ body: () throws -> Result) throws -> Result {
        do { return try body() } catch { throw storeFailure(error) }
    }

    private func storeFailure(_ error: any Error) -> any Error {
        if error is WorkerError || error is WorkerInterruption { return error }
        return WorkerError(.store, "The store refuses: \(error)")
    }

    /// Writes the batch at hand, again and again while the store is away.
    func writePatiently(_ consumer: KafkaConsumer) throws {
        let failedSince = ContinuousClock.now
        while true {
            let batches = heldPartitions.compactMap { $0.batch() }
            guard !batches.isEmpty, let sink else { break }
            let started = ContinuousClock.now
            let report = try attempt("writing") { () throws -> SinkReport in
                if !isConnected { try sink.connect() }
                isConnected = true
                return try sink.write(batches) { pollAhead(consumer) }
            }
            metrics.writeDuration.recordNanoseconds(started.duration(to: .now).nanoseconds)
            if let report {
                advance(batches, report, consumer)
                break
            }
            try wait(storeBackoff.next(), failedSince: failedSince, consumer)
        }
        try resumePartitions(consumer)
    }

    private func advance(_ batches: [PartitionBatch], _ report: SinkReport, _ consumer: KafkaConsumer) {
        metrics.add(report)
        let superseded = Set(report.superseded)
        for batch in batches {
            guard let partition = state(of: batch.partition) else { continue }
            if superseded.contains(batch.partition) {
                partition.isMisplaced = true
                frame.logger.warning(
                    "Another writer moved a partition's clock; the worker reads it again.",
                    metadata: .of([.topic: "\(batch.partition.topic)", .partition: "\(batch.partition.partition)"]))
                continue
            }
            partition.move(past: batch)
            consumer.storeOffset(input: partition.input, partition: batch.partition.partition, next: batch.to)
            if let last = batch.records.last, !partition.isWritten(last) {
                let age = Timestamp.wallClock.milliseconds - last.timestamp.milliseconds
                metrics.common.recordLatency.recordMilliseconds(max(0, age))
            }
        }
        nextClockAttempt = .now
    }

    private func state(of partition: SinkPartition) -> SinkPartitionState? {
        frame.inputs.firstIndex(of: partition.topic).flatMap { partitions[$0][Int(partition.partition)] }
    }

    /// Waits before the next attempt.
    ///
    /// When the store has been away for long, the partitions are paused and the group's
    /// changes are served meanwhile.
    private func wait(_ duration: Duration, failedSince: ContinuousClock.Instant, _ consumer: KafkaConsumer) throws {
        frame.status.beat()
        if failedSince.duration(to: .now) < plan.settings.pauseAfter {
            frame.control.pause(for: duration)
        } else {
            try pausePartitions(consumer)
            let end = ContinuousClock.now + duration
            while frame.control.isRunning, ContinuousClock.now < end { try serveGroup(consumer) }
        }
        guard frame.control.isRunning else { throw WorkerInterruption() }
    }

    private func pausePartitions(_ consumer: KafkaConsumer) throws {
        let running = heldPartitions.filter { !$0.isPaused }
        guard !running.isEmpty else { return }
        try consumer.pause(running.map(\.topicPartition))
        for partition in running { partition.isPaused = true }
    }

    private func serveGroup(_ consumer: KafkaConsumer) throws {
        let spare = consumer.makeBatch(capacity: 64)
        try consumer.poll(into: spare, waitMilliseconds: 50)
        // Records are thrown away: resuming reads them again.
        for index in 0..<spare.count { try noteFailure(spare[index]) }
        spare.removeAll()
        try answerGroup()
        try keepUp()
    }

    private func resumePartitions(_ consumer: KafkaConsumer) throws {
        let paused = heldPartitions.filter { $0.isPaused }
        guard !paused.isEmpty else { return }
        // Records may have been thrown away meanwhile, and a partition whose offset is gone continues only when restarted.
        try consumer.restart(
            Dictionary(uniqueKeysWithValues: paused.map { ($0.topicPartition, .offset($0.next)) }))
        try consumer.resume(paused.map(\.topicPartition))
        for partition in paused { partition.isPaused = false }
    }

    /// Lets the sink run its maintenance; a store that is away is found out by the next write.
    func maintain() throws {
        guard let sink, isConnected else { return }
        // A break can also stay unseen: behind a pool of connections, or when the store is emptied.
        doubtPartitions()
        _ = try attempt("maintaining") { try sink.maintain(now: sink.now()) }
    }
}
