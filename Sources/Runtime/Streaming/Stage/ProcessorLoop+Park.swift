import Kafka
import Logging

// Partitions whose outputs are not acknowledged: a partition of an output topic has no leader, or too few replicas.
extension ProcessorLoop {
    /// Parks the partitions whose outputs have waited for too long, so that the others go on.
    func parkOverdue(_ clients: ProcessorClients) throws {
        // Acknowledgements may have come while a restore asked a broker.
        try serveDeliveries(waitMilliseconds: 0)
        let now = ContinuousClock.now
        var parked: [AssignedPartition] = []
        for case let task? in tasks where !task.isParked {
            guard let since = task.ledger.waitingSince, since.duration(to: now) >= plan.settings.patience
            else { continue }
            unacknowledged.remove(records: task.ledger.outstanding, bytes: task.ledger.outstandingBytes)
            task.park(since: since)
            parked.append(task)
        }
        guard !parked.isEmpty else { return }
        let partitions = parked.map(\.core.partition)
        try clients.consumer.pause(partitions.flatMap { topicPartitions(of: $0) })
        frame.logger.warning(
            "Outputs of partitions are not acknowledged; the worker pauses these partitions until they are.",
            metadata: .of([
                .partitions: "\(partitions)", .count: "\(parked.reduce(0) { $0 + $1.ledger.outstanding })",
            ]))
        publishStatus()
    }

    /// Sends what the acknowledgements allow of parked partitions, and goes on with those that have nothing left to send.
    func serveParked(_ clients: ProcessorClients) throws {
        try parkOverdue(clients)
        guard tasks.contains(where: { $0?.isParked ?? false }) else { return }
        try sendParked(clients)
        // The group comes first: a restart would be taken for the answer to it.
        guard !clients.consumer.hasRebalance() else { return }
        let done = tasks.compactMap { $0 }.filter { $0.isParked && !$0.hasUndelivered }
        if !done.isEmpty { try unpark(done, clients) }
    }

    /// Sends the next step of the parked partitions whose outputs are all acknowledged so far.
    func sendParked(_ clients: ProcessorClients) throws {
        for case let task? in tasks where task.isParked && task.ledger.outstanding == 0 {
            guard let step = task.parkedOutputs.first?.step else { continue }
            var count = 0
            for output in task.parkedOutputs {
                guard output.step == step, try sendParked(output, of: task, clients) else { break }
                count += 1
            }
            task.dropParked(count)
            task.closeTicket()
        }
    }

    private func sendParked(_ output: ParkedOutput, of task: AssignedPartition, _ clients: ProcessorClients) throws
        -> Bool
    {
        try output.withRecord { record, headers in
            try queue(record, &headers, byteCount: output.byteCount, topic: output.topic, of: task, clients)
        }
    }

    /// Continues partitions after what was processed of them; what was fetched meanwhile was thrown away.
    private func unpark(_ done: [AssignedPartition], _ clients: ProcessorClients) throws {
        var positions: [TopicPartition: KafkaPosition] = [:]
        for task in done {
            for (input, position) in task.nextFetched.enumerated() {
                positions[TopicPartition(topic: inputNames[input], partition: task.core.partition)] = position
            }
            task.unpark()
        }
        try clients.consumer.restart(positions)
        try clients.consumer.resume(Array(positions.keys))
        frame.logger.notice(
            "Outputs of paused partitions are acknowledged; the worker goes on with these partitions.",
            metadata: .of([.partitions: "\(done.map(\.core.partition))"]))
        publishStatus()
    }

    /// Ends the pauses of partitions that go to another process: the library keeps a pause beyond the assignment, and
    /// would not fetch the partitions when they come back.
    func endPauses(of numbers: [Int32], _ clients: ProcessorClients) throws {
        let parked = numbers.filter { tasks[Int($0)]?.isParked ?? false }
        if !parked.isEmpty { try clients.consumer.resume(parked.flatMap { topicPartitions(of: $0) }) }
    }

    /// Brings the age of the oldest unacknowledged output of each partition to the metrics, and to the readiness when
    /// that is too old.
    func reportUnacknowledged() {
        let now = ContinuousClock.now
        var overdue: [Int32] = []
        var oldest = Duration.zero
        for case let task? in tasks {
            let age = task.unacknowledgedAge(at: now)
            metrics.setUnacknowledged(partition: task.core.partition, age: age)
            guard age >= plan.settings.notReadyAfter else { continue }
            overdue.append(task.core.partition)
            oldest = max(oldest, age)
        }
        state.take(.outputs(trouble: Self.trouble(overdue, oldest, outputNames)))
        publishStatus()
    }

    private static func trouble(_ partitions: [Int32], _ age: Duration, _ topics: [String]) -> String? {
        guard !partitions.isEmpty else { return nil }
        let names = partitions.map { "\($0)" }.joined(separator: ", ")
        return "Outputs of partitions \(names) have not been acknowledged for \(age.components.seconds) s: check that "
            + "these partitions of \(topics.joined(separator: ", ")) have a leader and enough in-sync replicas."
    }
}
