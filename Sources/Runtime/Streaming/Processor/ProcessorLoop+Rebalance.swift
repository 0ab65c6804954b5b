import Kafka
import Logging

extension ProcessorLoop {
    func revoke(_ partitions: [TopicPartition]) throws {
        guard let clients else { return }
        let numbers = numbers(of: partitions)
        context.logger.info("Partitions revoked.", metadata: .of([.partitions: "\(numbers)"]))
        let leaving = numbers.compactMap { assignedPartitions[Int($0)] }
        try drain(leaving, clients)
        // New clients discard queued outputs, so that they are not written after those of the next owner.
        if undelivered(leaving) > 0 { throw PartitionsLost(cause: .undelivered) }
        for assigned in leaving { report(assigned) }
        dropPartitions(numbers)
        try clients.consumer.release(partitions)
    }

    func dropLost(_ partitions: [TopicPartition]) throws { throw PartitionsLost(cause: .group) }

    /// Checks that the partitions are still assigned to this process; called before writes and during waits.
    /// - Throws: ``PartitionsLost``.
    func checkPartitions() throws {
        if clients?.consumer.arePartitionsLost == true { throw PartitionsLost(cause: .group) }
        if suspendDetector.wasSuspended() { throw PartitionsLost(cause: .sleep) }
        if pollDeadline.hasExpired() { throw PartitionsLost(cause: .poll) }
    }

    /// Rejoins the group with new clients, so that queued outputs are not written after those of the next owner.
    func rejoin(_ loss: PartitionsLost) throws {
        context.logger.warning(
            "\(loss.cause.rawValue); rejoining the group.",
            metadata: .of([
                .partitions: "\(assignedPartitions.compactMap { $0?.number })",
                .outputsDropped: "\(undelivered(assignedPartitions.compactMap { $0 }))",
            ]))
        let isDisconnected = clients?.consumer.isDisconnected == true
        releaseEverything(.inBackground)
        clients = try ProcessorClients(context, layout: layout, settings: settings, isDisconnected: isDisconnected)
        state.hasJoined = false
        suspendDetector.reset()
        _ = pollDeadline.renew()
        publishRestoreState()
    }

    /// Drops all partitions and unsent outputs, and closes the clients.
    func releaseEverything(_ ending: ProcessorClients.Ending) {
        dropPartitions(Array(0..<Int32(assignedPartitions.count)))
        for message in processedDeferred { message.destroy() }
        processedDeferred = []
        outputs.removeAll()
        inFlightLimit.removeAll()
        clients?.close(ending)
        clients = nil
    }

    private func numbers(of partitions: [TopicPartition]) -> [Int32] { Set(partitions.map(\.partition)).sorted() }

    /// Returns the partition with this number of each input.
    func topicPartitions(of number: Int32) -> [TopicPartition] {
        inputNames.map { TopicPartition(topic: $0, partition: number) }
    }

    /// Queues a restore of assigned partitions.
    ///
    /// Accepts the assignment at once, although fetching starts after the restore, because librdkafka handles no
    /// further rebalance and does not report lost partitions before an assignment is accepted.
    func assign(_ partitions: [TopicPartition]) throws {
        guard let clients else { return }
        try clients.consumer.accept([], positions: [:])
        let numbers = numbers(of: partitions)
        guard !numbers.isEmpty else { return }
        guard partitions.count == numbers.count * inputNames.count,
            numbers.allSatisfy({ $0 < assignedPartitions.count })
        else {
            throw WorkerError(
                .partitionsMismatch,
                "The assigned partitions differ between \(inputNames.joined(separator: ", ")): the topics have "
                    + "changed since the start; equalize them with `sightline topics create` and restart.")
        }
        restores.append(PendingRestore(partitions: numbers))
        publishRestoreState()
    }
}
