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

    /// The lanes of all inputs with this number.
    func kafkaLanes(of number: Int32) -> [KafkaLane] {
        inputNames.map { KafkaLane(topic: $0, partition: number) }
    }

    /// Begins to restore lanes that the group has given to this process.
    ///
    /// The group is answered at once, without the lanes: they are this process's from now on, and are not fetched before
    /// they are restored. Until an assignment is answered, the client library takes no further change and keeps to itself
    /// that lanes are lost.
    private func take(_ assigned: [KafkaLane], _ clients: StageClients) throws {
        try clients.consumer.accept([], positions: [:])
        let numbers = numbers(of: assigned)
        guard !numbers.isEmpty else { return }
        guard assigned.count == numbers.count * inputNames.count, numbers.allSatisfy({ $0 < lanes.count }) else {
            throw WorkerError(
                .lanesMismatch,
                "The group gave out lanes that do not match between \(inputNames.joined(separator: ", ")): topics have "
                    + "changed since the start; even them out with `sightline topics create` and start again.")
        }
        restores.append(PendingRestore(lanes: numbers))
    }
}
