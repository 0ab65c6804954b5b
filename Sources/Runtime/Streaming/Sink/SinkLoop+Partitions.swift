import Kafka
import Logging
import Processing

extension SinkLoop {
    func take(_ assigned: [TopicPartition]) throws {
        if partitions.isEmpty { partitions = topicNames.map { _ in [] } }
        for partition in assigned { makeRoom(for: partition) }
        // The group is answered at once; a partition is fetched as soon as the store has told where from.
        try consumer?.accept([], positions: [:])
        awaiting.formUnion(assigned)
        nextClockAttempt = .now
    }

    func giveBack(_ revoked: [TopicPartition]) throws {
        commit()
        try release(revoked)
    }

    func lose(_ lost: [TopicPartition]) throws {
        frame.logger.warning("Partitions were lost.", metadata: .of([.partitions: "\(lost)"]))
        try release(lost)
    }

    private func release(_ gone: [TopicPartition]) throws {
        let paused = heldPartitions.filter { $0.isPaused && gone.contains($0.topicPartition) }
        // The library keeps a pause beyond the assignment, and would not fetch the partitions when they come back.
        if !paused.isEmpty { try consumer?.resume(paused.map(\.topicPartition)) }
        for partition in gone { drop(partition) }
        awaiting.subtract(gone)
        try consumer?.release(gone)
    }

    private func makeRoom(for partition: TopicPartition) {
        guard let input = topicNames.firstIndex(of: partition.topic) else { return }
        while partitions[input].count <= Int(partition.partition) { partitions[input].append(nil) }
    }

    private func drop(_ partition: TopicPartition) {
        guard let input = topicNames.firstIndex(of: partition.topic), input < partitions.count,
            Int(partition.partition) < partitions[input].count
        else { return }
        if let state = partitions[input][Int(partition.partition)] { sink?.release([state.name]) }
        partitions[input][Int(partition.partition)] = nil
        metrics.common.removeLag(input: input, partition: partition.partition)
    }

    /// Asks the store where the partitions go on that wait for that: new ones, those that another writer moved, and
    /// those that the store may have forgotten something of.
    ///
    /// While the store is away it is asked in any case: a worker without partitions has no other way to learn that it
    /// answers again.
    func openPartitions(_ consumer: KafkaConsumer) throws {
        let unsure = heldPartitions.filter { $0.isMisplaced || $0.isDoubtful }
        guard !awaiting.isEmpty || !unsure.isEmpty || state.storeTrouble != nil,
            ContinuousClock.now >= nextClockAttempt, let sink
        else { return }
        let fresh = awaiting.compactMap { partition in
            topicNames.firstIndex(of: partition.topic).map {
                (partition, $0, SinkPartition(topic: frame.inputs[$0], partition: partition.partition))
            }
        }
        let started = ContinuousClock.now
        let stored = try attempt("reading clocks") { () throws -> [SinkPartition: SinkPosition] in
            if !isConnected { try sink.connect() }
            isConnected = true
            return try sink.positions(of: fresh.map(\.2) + unsure.map(\.name))
        }
        guard let stored else {
            nextClockAttempt = .now + storeBackoff.next()
            return
        }
        try reposition(unsure, stored, consumer)
        guard !fresh.isEmpty else { return }
        var positions: [TopicPartition: KafkaPosition] = [:]
        for (partition, input, name) in fresh {
            positions[partition] = stored[name].map { .offset($0.readFrom) } ?? .beginning
            partitions[input][Int(partition.partition)] = SinkPartitionState(
                name: name, topicPartition: partition, input: input, at: stored[name] ?? SinkPosition(next: 0))
        }
        awaiting = []
        try consumer.accept(fresh.map(\.0), positions: positions)
        metrics.common.restoreDuration.recordNanoseconds(started.duration(to: .now).nanoseconds)
        frame.logger.info(
            "Partitions are taken.", metadata: .of([.partitions: "\(fresh.map(\.0).sorted { "\($0)" < "\($1)" })"]))
        publishStatus()
    }

    /// Continues the partitions at the offsets that the store has.
    private func reposition(
        _ unsure: [SinkPartitionState], _ stored: [SinkPartition: SinkPosition], _ consumer: KafkaConsumer
    ) throws {
        let moved = unsure.filter { $0.isMisplaced || stored[$0.name]?.next ?? 0 != $0.stored }
        var positions: [TopicPartition: KafkaPosition] = [:]
        for partition in moved {
            let position = stored[partition.name]
            positions[partition.topicPartition] = position.map { .offset($0.readFrom) } ?? .beginning
            if !partition.isMisplaced {
                frame.logger.warning(
                    "The store's clock of a partition is elsewhere than it was left; the worker continues from there.",
                    metadata: .of([
                        .topic: "\(partition.name.topic)", .partition: "\(partition.name.partition)",
                        .count: "\(partition.stored - (position?.next ?? 0))",
                    ]))
            }
            partition.move(to: position ?? SinkPosition(next: 0))
        }
        try consumer.restart(positions)
        for partition in unsure {
            partition.isMisplaced = false
            partition.isDoubtful = false
        }
    }
}
