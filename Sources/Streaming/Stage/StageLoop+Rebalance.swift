import Kafka
import Lanes
import Logging
import Tracking

extension StageLoop {
    /// Answers a change of the lanes that the group gives to this process.
    func answer(_ change: KafkaRebalance, _ clients: StageClients) throws {
        switch change.kind {
        case .assigned:
            try take(change.lanes, clients)
            hasJoined = true
        case .revoked:
            plan.logger.info("Lanes go to another process.", metadata: ["lanes": "\(numbers(of: change.lanes))"])
            try drain(clients)
            // What the producer still holds would come after the successor's records.
            if ledger.outstanding > 0 { throw LanesLost(cause: .undelivered) }
            for number in numbers(of: change.lanes) { if let lane = lanes[Int(number)] { report(lane, clients) } }
            dropLanes(numbers(of: change.lanes))
            try clients.consumer.release(change.lanes)
        case .lost: throw LanesLost(cause: .group)
        }
        updateStatus()
    }

    /// Makes sure that the lanes are still this process's, before anything is written for them and while a wait lasts.
    /// - Throws: ``LanesLost``.
    func checkLanes() throws {
        if clients?.consumer.areLanesLost == true { throw LanesLost(cause: .group) }
        if sleepWatch.hasSlept() { throw LanesLost(cause: .sleep) }
    }

    /// Goes on as a process started just now: what the producer still holds would come after the successor's records,
    /// and a group that took the lanes away gives out others.
    func beginAnew(_ loss: LanesLost) throws {
        plan.logger.warning(
            "\(loss.cause.rawValue); the worker joins its group anew.",
            metadata: [
                "lanes": "\(lanes.compactMap { $0?.driver.lane })", "outputs_dropped": "\(ledger.outstanding)",
            ])
        let isCut = clients?.consumer.isCut == true
        forgetEverything(.inBackground)
        clients = try StageClients(plan, inputs: inputNames, outputs: outputNames, isCut: isCut)
        hasJoined = false
        sleepWatch.forget()
        updateStatus()
    }

    /// Frees what the process holds.
    func forgetEverything(_ ending: StageClients.Ending) {
        dropLanes(Array(0..<Int32(lanes.count)))
        for message in borrowed { message.destroy() }
        borrowed = []
        outputs.removeAll()
        ledger = DeliveryLedger()
        clients?.close(ending)
        clients = nil
    }

    private func numbers(of lanes: [KafkaLane]) -> [Int32] { Set(lanes.map(\.partition)).sorted() }

    private func take(_ assigned: [KafkaLane], _ clients: StageClients) throws {
        let numbers = numbers(of: assigned)
        guard !numbers.isEmpty else { return try clients.consumer.accept([], positions: [:]) }
        guard assigned.count == numbers.count * inputNames.count, numbers.allSatisfy({ $0 < lanes.count }) else {
            throw WorkerError(
                .lanesMismatch,
                "The group gave out lanes that do not match between \(inputNames.joined(separator: ", ")): topics have "
                    + "changed since the start; even them out with `sightline topics create` and start again.")
        }
        let started = ContinuousClock.now
        plan.status.setNotReady("The worker restores \(numbers.count) lanes.")
        plan.status.setLanes(
            numbers.map { WorkerStatus.Lane(topic: plan.layout.inputs[0].topic, lane: $0, state: .restoring) })
        let restored = try restorePatiently(numbers, assigned, clients)
        var positions: [KafkaLane: KafkaPosition] = [:]
        for (number, entry) in restored {
            lanes[Int(number)] = StageLane(driver: entry.driver, layout: plan.layout, held: entry.held)
            for (input, start) in entry.starts.enumerated() {
                positions[KafkaLane(topic: inputNames[input], partition: number)] = start
            }
        }
        try finishQuietOutputs()
        try checkLanes()
        try clients.consumer.accept(assigned, positions: positions)
        metrics.common.restoreDuration.recordNanoseconds(started.duration(to: .now).nanoseconds)
        plan.logger.info(
            "Lanes are restored.",
            metadata: [
                "lanes": "\(numbers)", "seconds": "\(Double(started.duration(to: .now).wholeMilliseconds) / 1000)",
            ])
    }

    /// Restores `numbers`, beginning anew as often as the broker goes away meanwhile.
    private func restorePatiently(
        _ numbers: [Int32], _ assigned: [KafkaLane], _ clients: StageClients
    ) throws -> [Int32: LaneRestorer.Restored] {
        var backoff = Backoff()
        while true {
            do {
                let committed = try clients.consumer.committed(assigned)
                return try restorer(clients).restore(numbers, committed: committed, into: &outputs)
            } catch let error as KafkaError where error.isRetriable {
                if backoff.attempts == 0 {
                    plan.logger.warning("A restore was cut short and begins anew.", metadata: ["error": "\(error)"])
                }
                plan.control.pause(for: backoff.next())
                try checkInterruption()
            }
        }
    }

    private func restorer(_ clients: StageClients) -> LaneRestorer {
        var nextNotice = ContinuousClock.now + plan.settings.restoreProgressInterval
        let plan = plan
        return LaneRestorer(
            plan: plan, inputs: inputNames, outputs: outputNames, reader: clients.reader
        ) { [self] count in
            plan.status.beat()
            guard plan.control.isRunning else { throw WorkerInterruption() }
            try checkLanes()
            guard ContinuousClock.now >= nextNotice else { return }
            nextNotice = .now + plan.settings.restoreProgressInterval
            plan.logger.info("Lanes are being restored.", metadata: ["count": "\(count)"])
        }
    }
}
