import Kafka
import Lanes
import Logging

extension SinkLoop {
    /// Answers a change of the lanes that the group gives to this process.
    func answer(_ change: KafkaRebalance, _ consumer: KafkaConsumer) throws {
        switch change.kind {
        case .assigned:
            hasJoined = true
            if lanes.isEmpty { lanes = topicNames.map { _ in [] } }
            for lane in change.lanes { makeRoom(for: lane) }
            // The group is answered at once; a lane is fetched as soon as the store has told where from.
            try consumer.accept([], positions: [:])
            awaiting.formUnion(change.lanes)
            nextClockAttempt = .now
        case .revoked, .lost:
            if change.kind == .revoked {
                commit(consumer)
            } else {
                plan.logger.warning("Lanes were lost.", metadata: ["lanes": "\(change.lanes)"])
            }
            for lane in change.lanes { drop(lane) }
            awaiting.subtract(change.lanes)
            try consumer.release(change.lanes)
        }
        updateStatus()
    }

    private func makeRoom(for lane: KafkaLane) {
        guard let input = topicNames.firstIndex(of: lane.topic) else { return }
        while lanes[input].count <= Int(lane.partition) { lanes[input].append(nil) }
    }

    private func drop(_ lane: KafkaLane) {
        guard let input = topicNames.firstIndex(of: lane.topic), input < lanes.count,
            Int(lane.partition) < lanes[input].count
        else { return }
        lanes[input][Int(lane.partition)] = nil
        metrics.common.removeLag(input: input, lane: lane.partition)
    }

    /// Asks the store where the lanes go on that wait for that: new ones, those that another writer moved, and those
    /// that the store may have forgotten something of.
    func openLanes(_ consumer: KafkaConsumer) throws {
        let unsure = heldLanes.filter { $0.isMisplaced || $0.isDoubtful }
        guard !awaiting.isEmpty || !unsure.isEmpty, ContinuousClock.now >= nextClockAttempt, let sink
        else { return }
        let fresh = awaiting.compactMap { lane in
            topicNames.firstIndex(of: lane.topic).map {
                (lane, $0, SinkLane(topic: plan.topics[$0], lane: lane.partition))
            }
        }
        let started = ContinuousClock.now
        let clocks = try attempt("reading clocks") { () throws -> [SinkLane: Int64] in
            if !isConnected { try sink.connect() }
            isConnected = true
            return try sink.clocks(of: fresh.map(\.2) + unsure.map(\.name))
        }
        guard let clocks else {
            nextClockAttempt = .now + storeBackoff.next()
            return
        }
        try reposition(unsure, clocks, consumer)
        guard !fresh.isEmpty else { return }
        var positions: [KafkaLane: KafkaPosition] = [:]
        for (lane, input, name) in fresh {
            let clock = clocks[name]
            positions[lane] = clock.map { .offset($0) } ?? .beginning
            lanes[input][Int(lane.partition)] = SinkLaneState(
                name: name, kafkaLane: lane, input: input, next: clock ?? 0)
        }
        awaiting = []
        try consumer.accept(fresh.map(\.0), positions: positions)
        metrics.common.restoreDuration.recordNanoseconds(started.duration(to: .now).nanoseconds)
        plan.logger.info("Lanes are taken.", metadata: ["lanes": "\(fresh.map(\.0).sorted { "\($0)" < "\($1)" })"])
        updateStatus()
    }

    /// Has the lanes go on where the store's clocks are.
    private func reposition(
        _ unsure: [SinkLaneState], _ clocks: [SinkLane: Int64], _ consumer: KafkaConsumer
    ) throws {
        let moved = unsure.filter { $0.isMisplaced || clocks[$0.name] ?? 0 != $0.next }
        var positions: [KafkaLane: KafkaPosition] = [:]
        for lane in moved {
            let clock = clocks[lane.name]
            positions[lane.kafkaLane] = clock.map { .offset($0) } ?? .beginning
            if !lane.isMisplaced {
                plan.logger.warning(
                    "The store's clock of a lane is elsewhere than it was left; the worker goes on from there.",
                    metadata: [
                        "topic": "\(lane.name.topic)", "lane": "\(lane.name.lane)",
                        "count": "\(lane.next - (clock ?? 0))",
                    ])
            }
            lane.next = clock ?? 0
        }
        if !moved.isEmpty { try consumer.seek(positions) }
        for lane in unsure {
            lane.isMisplaced = false
            lane.isDoubtful = false
        }
    }
}
