import Kafka
import Logging
import Processing

extension SinkLoop {
    func assign(_ assigned: [TopicPartition]) throws {
        if partitions.isEmpty { partitions = topicNames.map { _ in [] } }
        for partition in assigned { makeRoom(for: partition) }
        // Accepts at once; fetching starts when the stored offsets are known.
        try consumer?.accept([], positions: [:])
        unopened.formUnion(assigned)
        nextOffsetRead = .now
    }

    func revoke(_ revoked: [TopicPartition]) throws {
        commit()
        try release(revoked)
    }

    func dropLost(_ lost: [TopicPartition]) throws {
        context.logger.warning("Partitions lost.", metadata: .of([.partitions: "\(lost)"]))
        try release(lost)
    }

    private func release(_ gone: [TopicPartition]) throws {
        for partition in gone { drop(partition) }
        unopened.subtract(gone)
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

    /// Reads the stored offsets of new, superseded and uncertain partitions.
    ///
    /// Without such partitions, calls the store only while it is unavailable, to detect its recovery.
    func openPartitions(_ consumer: KafkaConsumer) throws {
        let unsure = openedPartitions.filter { $0.isSuperseded || $0.isUncertain }
        guard !unopened.isEmpty || !unsure.isEmpty || state.storeProblem != nil,
            ContinuousClock.now >= nextOffsetRead, let sink
        else { return }
        let fresh = unopened.compactMap { partition in
            topicNames.firstIndex(of: partition.topic).map {
                (partition, $0, SinkPartition(topic: context.inputs[$0], partition: partition.partition))
            }
        }
        let started = ContinuousClock.now
        let stored = try attempt("reading offsets") { () throws -> [SinkPartition: SinkPosition] in
            if !isConnected { try sink.connect() }
            isConnected = true
            return try sink.positions(of: fresh.map(\.2) + unsure.map(\.name))
        }
        guard let stored else {
            nextOffsetRead = .now + storeBackoff.next()
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
        unopened = []
        try consumer.accept(fresh.map(\.0), positions: positions)
        metrics.common.restoreDuration.recordNanoseconds(started.duration(to: .now).nanoseconds)
        context.logger.info(
            "Partitions assigned.", metadata: .of([.partitions: "\(fresh.map(\.0).sorted { "\($0)" < "\($1)" })"]))
        publishStatus()
    }

    /// Moves superseded partitions, and those whose stored offset has changed, to the stored offset.
    private func reposition(
        _ unsure: [SinkPartitionState], _ stored: [SinkPartition: SinkPosition], _ consumer: KafkaConsumer
    ) throws {
        let moved = unsure.filter { $0.isSuperseded || stored[$0.name]?.next ?? 0 != $0.stored }
        var positions: [TopicPartition: KafkaPosition] = [:]
        for partition in moved {
            let position = stored[partition.name]
            positions[partition.topicPartition] = position.map { .offset($0.readFrom) } ?? .beginning
            if !partition.isSuperseded {
                context.logger.warning(
                    "Stored offset changed; resuming from the stored offset.",
                    metadata: .of([
                        .topic: "\(partition.name.topic)", .partition: "\(partition.name.partition)",
                        .count: "\(partition.stored - (position?.next ?? 0))",
                    ]))
            }
            partition.move(to: position ?? SinkPosition(next: 0))
        }
        try consumer.restart(positions)
        for partition in unsure {
            partition.isSuperseded = false
            partition.isUncertain = false
        }
    }
}
