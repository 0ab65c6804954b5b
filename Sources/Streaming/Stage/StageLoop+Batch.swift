import Kafka
import Lanes
import Logging
import Tracking

extension StageLoop {
    /// Processes what was polled and produces what came of it, under one ticket.
    func processBatch(_ clients: StageClients) throws {
        let started = ContinuousClock.now
        let batch = clients.batch
        var current: StageLane?
        var currentNumber: Int32 = -1
        var latencySample: Timestamp?
        var counts = [Int](repeating: 0, count: inputNames.count)
        for index in 0..<batch.count {
            guard let message = batch.message(at: index) else {
                try noteEvent(batch[index], clients)
                continue
            }
            if message.lane != currentNumber {
                if let latencySample { sampleLatency(since: latencySample) }
                currentNumber = message.lane
                current = begin(lane: currentNumber, seen: started)
            }
            guard let current else { continue }
            counts[message.input] += 1
            if current.mustHold(input: message.input, limit: plan.settings.maximumHeldRecords) {
                if let taken = batch.take(at: index) { current.hold(taken) }
                continue
            }
            latencySample = try process(message, source: index, in: current, clients)
            if outputs.batch.isFull { try sendPart(of: current, clients) }
        }
        if let latencySample { sampleLatency(since: latencySample) }
        for (input, count) in counts.enumerated() where count > 0 {
            metrics.common.recordsIn[input].increment(by: count)
        }
        try finishBatch(clients, isSmall: batch.count < plan.settings.promptBelowRecords)
        batch.removeAll()
        metrics.common.batchDuration.recordNanoseconds(started.duration(to: .now).nanoseconds)
    }

    @inline(__always)
    private func process(
        _ message: KafkaMessage, source: Int, in lane: StageLane, _ clients: StageClients
    ) throws -> Timestamp {
        // What a stage answers stands in the value; headers are for restoring.
        let record = message.recordWithoutHeaders
        if lane.hasHeld {
            try processHeld(of: lane, upTo: lane.holdingLimit(before: record.timestamp, input: record.input), clients)
        }
        lane.noteRecord(input: record.input)
        lane.driver.process(record, source: source, into: &outputs)
        return record.timestamp
    }

    private func sampleLatency(since received: Timestamp) {
        let milliseconds = max(0, Timestamp.wallClock.milliseconds - received.milliseconds)
        metrics.common.recordLatency.recordMilliseconds(milliseconds)
    }

    /// The lane numbered `number`, marked as touched by this batch; `nil` when this process does not hold it.
    private func begin(lane number: Int32, seen: ContinuousClock.Instant) -> StageLane? {
        guard let lane = lanes[Int(number)] else { return nil }
        touch(lane)
        lane.noteNewest(seen: seen)
        return lane
    }

    private func touch(_ lane: StageLane) {
        guard !lane.isTouched else { return }
        lane.isTouched = true
        touched.append(lane)
    }

    /// Processes the held records whose time has come.
    private func processHeld(of lane: StageLane, upTo time: Timestamp?, _ clients: StageClients) throws {
        while let message = lane.takeHeld(upTo: time) {
            borrowed.append(message)
            // -1 stands for no source; held records count down from there.
            lane.driver.process(message.recordWithoutHeaders, source: -1 - borrowed.count, into: &outputs)
            if outputs.batch.isFull { try sendPart(of: lane, clients) }
        }
    }

    /// The input record numbered `source`; `nil` for outputs that no record caused.
    func sourceMessage(_ source: Int, _ batch: KafkaBatch) -> KafkaMessage? {
        if source >= 0 { return batch.message(at: source) }
        return source == -1 ? nil : borrowed[-2 - source]
    }

    /// Produces the outputs at hand, and has the touched lanes' offsets given out once they are acknowledged.
    private func finishBatch(_ clients: StageClients, isSmall: Bool) throws {
        let ticket = try produceOutputs(clients)
        for lane in touched {
            lane.takeProgress { ledger.note($0, for: ticket) }
            lane.isTouched = false
        }
        touched.removeAll(keepingCapacity: true)
        ledger.close(ticket)
        for message in borrowed { message.destroy() }
        borrowed.removeAll(keepingCapacity: true)
        if isSmall, ledger.outstanding > 0 { clients.producer.hurry() }
    }

    /// Sends what is at hand in the middle of a poll, between two records: records of a few bytes may make outputs of
    /// many, and what a poll makes of them need not fit into memory.
    private func sendPart(of lane: StageLane, _ clients: StageClients) throws {
        try finishBatch(clients, isSmall: false)
        // The rest of the poll goes on with it.
        touch(lane)
    }

    /// Produces outputs that no record of a batch caused: ticks in silence, the end of a restore.
    func finishQuietOutputs() throws {
        guard let clients, !outputs.isEmpty || !borrowed.isEmpty else { return }
        try finishBatch(clients, isSmall: true)
    }

    private func noteEvent(_ entry: KafkaBatch.Entry?, _ clients: StageClients) throws {
        switch entry {
        case .end(let input, let number, _):
            guard let lane = lanes[Int(number)] else { return }
            lane.noteEnd(input: input)
            if lane.hasHeld, lane.isCaughtUp {
                touch(lane)
                try processHeld(of: lane, upTo: nil, clients)
            }
        case .failure(let input, let lane, let error):
            try noteFailure(error, input: input, lane: lane, clients)
        case .message, nil: return
        }
    }

    private func noteFailure(_ error: KafkaError, input: Int?, lane: Int32, _ clients: StageClients) throws {
        if error.code == .offsetOutOfRange, let input {
            return try recover(KafkaLane(topic: inputNames[input], partition: lane), input: input, clients)
        }
        if error.isFatal { throw error }
        plan.logger.warning("The Kafka consumer has trouble.", metadata: ["error": "\(error)", "lane": "\(lane)"])
    }

    /// A position that the broker does not have: either it was deleted by retention, or it never was.
    private func recover(_ lane: KafkaLane, input: Int, _ clients: StageClients) throws {
        guard let held = lanes[Int(lane.partition)] else { return }
        let position = held.driver.positions[input]
        let marks = try clients.consumer.queryWatermarks(of: lane)
        guard position <= marks.low else {
            throw WorkerError(
                .offsetsGone,
                "The journal goes on at offset \(position) of \(lane), which the topic does not have (\(marks.low) to "
                    + "\(marks.high)): it was created anew, so delete \(outputNames[0]) and create it again, too.")
        }
        if position > 0 {
            plan.logger.error(
                "Records were deleted by retention before they were processed.",
                metadata: ["topic": "\(lane.topic)", "lane": "\(lane.partition)", "count": "\(marks.low - position)"])
        }
        try clients.consumer.seek([lane: .offset(marks.low)])
    }

    /// Fires the ticks that silence makes due.
    func passSilentTime() throws {
        guard plan.layout.tickIntervalMilliseconds != nil else { return }
        let now = ContinuousClock.now
        for case let lane? in lanes where lane.isSilent {
            guard let time = lane.silentTime(at: now, graceMilliseconds: plan.settings.tickGraceMilliseconds)
            else { continue }
            lane.driver.tick(upTo: time, into: &outputs)
        }
        try finishQuietOutputs()
    }
}
