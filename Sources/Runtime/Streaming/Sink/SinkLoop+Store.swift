import Kafka
import Logging
import Processing
import Support

extension SinkLoop {
    /// Connects to the store, with retries.
    /// - Returns: `false` if the worker was stopped meanwhile.
    func connectWithRetries() throws -> Bool {
        let sink: any Sink
        do { sink = try makeSink() } catch { throw storeFailure(error) }
        self.sink = sink
        while context.control.isRunning {
            if try attempt("connecting", { try sink.connect() }) != nil {
                isConnected = true
                return true
            }
            context.status.beat()
            context.control.pause(for: storeBackoff.next())
        }
        return false
    }

    /// Calls the store.
    /// - Returns: `nil` if the store is unavailable, which is logged once, published and counted.
    /// - Throws: ``WorkerError`` for permanent errors.
    func attempt<Result>(_ action: String, _ body: () throws -> Result) throws -> Result? {
        do {
            let result = try body()
            if state.storeProblem != nil {
                publishStoreState(problem: nil)
                storeBackoff.reset()
                context.logger.notice("Store available again.")
            }
            return result
        } catch let error as any ClassifiedError where error.isRetriable {
            isConnected = false
            markUncertain()
            sink?.disconnect()
            metrics.retries.increment()
            if state.storeProblem == nil {
                publishStoreState(problem: "Store unavailable: \(error)")
                context.logger.warning(
                    "Store unavailable; retrying.", metadata: .of([.error: "\(error)", .reason: "\(action)"]))
            }
            return nil
        } catch {
            throw storeFailure(error)
        }
    }

    private func publishStoreState(problem: String?) {
        state.storeProblem = problem
        publishStatus()
    }

    /// Requests a comparison of all partitions with their stored offsets.
    ///
    /// A store may lose its newest data in a failover or restart. The next write of a partition would detect that, but
    /// until then a partition without new records would lack the lost records.
    private func markUncertain() { for partition in openedPartitions { partition.isUncertain = true } }

    private func storeFailure(_ error: any Error) -> any Error {
        if error is WorkerError || error is WorkerInterruption { return error }
        return WorkerError(.store, "The store rejects the operation: \(error)")
    }

    /// Writes the current batch, with retries while the store is unavailable.
    func writeWithRetries(_ consumer: KafkaConsumer) throws {
        let failedSince = ContinuousClock.now
        while true {
            let batches = openedPartitions.compactMap { $0.batch() }
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
                partition.isSuperseded = true
                context.logger.warning(
                    "Another writer advanced the partition; reloading its progress.",
                    metadata: .of([.topic: "\(batch.partition.topic)", .partition: "\(batch.partition.partition)"]))
                continue
            }
            partition.move(past: batch)
            consumer.storeOffset(
                input: partition.input, partition: batch.partition.partition, KafkaCommit(offset: batch.to))
            if let last = batch.records.last, !partition.isWritten(last) {
                let age = WallClock.milliseconds() - last.timestamp.milliseconds
                metrics.common.recordLatency.recordMilliseconds(max(0, age))
            }
        }
        nextOffsetRead = .now
    }

    private func state(of partition: SinkPartition) -> SinkPartitionState? {
        context.inputs.firstIndex(of: partition.topic).flatMap { partitions[$0][Int(partition.partition)] }
    }

    /// Waits before a retry; after a long failure, pauses the partitions and polls for rebalances meanwhile.
    private func wait(_ duration: Duration, failedSince: ContinuousClock.Instant, _ consumer: KafkaConsumer) throws {
        context.status.beat()
        if failedSince.duration(to: .now) < settings.pauseAfter {
            context.control.pause(for: duration)
        } else {
            try consumer.pause(openedPartitions.map(\.topicPartition))
            let end = ContinuousClock.now + duration
            while context.control.isRunning, ContinuousClock.now < end { try serveGroup(consumer) }
        }
        guard context.control.isRunning else { throw WorkerInterruption() }
    }

    private func serveGroup(_ consumer: KafkaConsumer) throws {
        let spare = consumer.makeBatch(capacity: 64)
        try consumer.poll(into: spare, waitMilliseconds: 50)
        // Discards records; ``resumePartitions(_:)`` rereads them.
        for index in 0..<spare.count { try handleFailure(spare[index]) }
        spare.removeAll()
        try handleRebalances()
        try runPeriodicWork()
    }

    private func resumePartitions(_ consumer: KafkaConsumer) throws {
        let paused = openedPartitions.filter { consumer.paused.contains($0.topicPartition) }
        guard !paused.isEmpty else { return }
        // Polls during the pause discarded records, and a partition with a missing offset continues only after a
        // restart.
        try consumer.restart(Dictionary(uniqueKeysWithValues: paused.map { ($0.topicPartition, .offset($0.next)) }))
        try consumer.resume(paused.map(\.topicPartition))
    }

    /// Runs the sink's maintenance if the store is connected.
    func maintain() throws {
        guard let sink, isConnected else { return }
        // Detects losses that no call reports: a failover behind a connection pool, or an emptied store.
        markUncertain()
        _ = try attempt("maintaining") { try sink.maintain(now: sink.now()) }
    }
}
