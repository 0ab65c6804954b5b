import Kafka
import Lanes
import Logging
import Tracking

extension SinkLoop {
    /// Connects to the store, however long it takes.
    /// - Returns: `false` when the worker was told to stop meanwhile.
    func connectPatiently() throws -> Bool {
        let sink = try withStoreErrors { try plan.makeSink() }
        self.sink = sink
        while plan.control.isRunning {
            if try attempt("connecting", { try sink.connect() }) != nil {
                isConnected = true
                return true
            }
            plan.status.beat()
            plan.control.pause(for: storeBackoff.next())
        }
        return false
    }

    /// Calls the store.
    /// - Returns: `nil` when the store is away for now; that is logged once, shown in the status and counted.
    /// - Throws: ``WorkerError`` when trying again is of no use.
    func attempt<Result>(_ action: String, _ body: () throws -> Result) throws -> Result? {
        do {
            let result = try body()
            if storeTrouble != nil {
                storeTrouble = nil
                storeBackoff.reset()
                plan.logger.notice("The store answers again.")
                updateStatus()
            }
            return result
        } catch let error as any ClassifiedError where error.isRetriable {
            isConnected = false
            doubtLanes()
            sink?.disconnect()
            metrics.retries.increment()
            if storeTrouble == nil {
                storeTrouble = "The store is away: \(error)"
                plan.logger.warning(
                    "The store is away; the worker keeps its lanes and tries again.",
                    metadata: ["error": "\(error)", "reason": "\(action)"])
                updateStatus()
            }
            return nil
        } catch {
            throw storeFailure(error)
        }
    }

    /// Has the clocks of all lanes compared with the store's at the next opportunity.
    ///
    /// A lane with traffic finds out by itself that the store went back, a failover or a restart without the newest
    /// data, as its next write does not fit. One that has fallen silent would lack its last records until the next.
    private func doubtLanes() { for lane in heldLanes { lane.isDoubtful = true } }

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
            let batches = heldLanes.compactMap { $0.batch() }
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
        try resumeLanes(consumer)
    }

    private func advance(_ batches: [LaneBatch], _ report: SinkReport, _ consumer: KafkaConsumer) {
        metrics.add(report)
        let superseded = Set(report.superseded)
        for batch in batches {
            guard let lane = state(of: batch.lane) else { continue }
            if superseded.contains(batch.lane) {
                lane.isMisplaced = true
                plan.logger.warning(
                    "Another writer moved a lane's clock; the worker reads it again.",
                    metadata: ["topic": "\(batch.lane.topic)", "lane": "\(batch.lane.lane)"])
                continue
            }
            lane.next = batch.to
            consumer.storeOffset(input: lane.input, lane: batch.lane.lane, next: batch.to)
            if let last = batch.records.last {
                let age = Timestamp.wallClock.milliseconds - last.timestamp.milliseconds
                metrics.common.recordLatency.recordMilliseconds(max(0, age))
            }
        }
        nextClockAttempt = .now
    }

    private func state(of lane: SinkLane) -> SinkLaneState? {
        plan.topics.firstIndex(of: lane.topic).flatMap { lanes[$0][Int(lane.lane)] }
    }

    /// Waits before the next attempt.
    ///
    /// When the store has been away for long, the lanes are paused and the group's
    /// changes are served meanwhile.
    private func wait(_ duration: Duration, failedSince: ContinuousClock.Instant, _ consumer: KafkaConsumer) throws {
        plan.status.beat()
        if failedSince.duration(to: .now) < plan.settings.pauseAfter {
            plan.control.pause(for: duration)
        } else {
            try pauseLanes(consumer)
            let end = ContinuousClock.now + duration
            while plan.control.isRunning, ContinuousClock.now < end { try serveGroup(consumer) }
        }
        guard plan.control.isRunning else { throw WorkerInterruption() }
    }

    private func pauseLanes(_ consumer: KafkaConsumer) throws {
        let running = heldLanes.filter { !$0.isPaused }
        guard !running.isEmpty else { return }
        try consumer.pause(running.map(\.kafkaLane))
        for lane in running { lane.isPaused = true }
    }

    private func serveGroup(_ consumer: KafkaConsumer) throws {
        let spare = consumer.makeBatch(capacity: 64)
        try consumer.poll(into: spare, waitMilliseconds: 50)
        for index in 0..<spare.count {
            guard let message = spare.message(at: index) else { continue }
            lanes[message.input][Int(message.lane)]?.hasSkipped = true
        }
        spare.removeAll()
        for change in consumer.takeRebalances() { try answer(change, consumer) }
        try keepHouse(consumer)
    }

    private func resumeLanes(_ consumer: KafkaConsumer) throws {
        let paused = heldLanes.filter { $0.isPaused }
        guard !paused.isEmpty else { return }
        var positions: [KafkaLane: KafkaPosition] = [:]
        for lane in paused where lane.hasSkipped { positions[lane.kafkaLane] = .offset(lane.next) }
        try consumer.seek(positions)
        try consumer.resume(paused.map(\.kafkaLane))
        for lane in paused {
            lane.isPaused = false
            lane.hasSkipped = false
        }
    }

    /// Lets the sink do its housekeeping; a store that is away is found out by the next write.
    func maintain() throws {
        guard let sink, isConnected else { return }
        // A break can also stay unseen: behind a pool of connections, or when somebody empties the store.
        doubtLanes()
        _ = try attempt("maintaining") { try sink.maintain(now: sink.now()) }
    }
}
