import Kafka
import Logging

/// Parking pauses partitions with overdue outputs until they are acknowledged.
///
/// Outputs are overdue, for example, while an output partition has no leader.
extension ProcessorLoop {
    /// Parks partitions whose outputs have waited for ``ProcessorWorkerSettings/parkDelay``.
    func parkOverdue(_ clients: ProcessorClients) throws {
        // Acknowledgements may have arrived while a request of a restore blocked the thread.
        try serveDeliveries(waitMilliseconds: 0)
        let now = ContinuousClock.now
        var parked: [AssignedPartition] = []
        for case let assigned? in assignedPartitions where !assigned.isParked {
            guard let since = assigned.inFlight.waitingSince, since.duration(to: now) >= settings.parkDelay
            else { continue }
            inFlightLimit.remove(records: assigned.inFlight.outstanding, bytes: assigned.inFlight.outstandingBytes)
            assigned.park(since: since)
            parked.append(assigned)
        }
        guard !parked.isEmpty else { return }
        let partitions = parked.map(\.number)
        try clients.consumer.pause(partitions.flatMap { topicPartitions(of: $0) })
        context.logger.warning(
            "Outputs unacknowledged; pausing partitions.",
            metadata: .of([
                .partitions: "\(partitions)", .count: "\(parked.reduce(0) { $0 + $1.inFlight.outstanding })",
            ]))
        publishStatus()
    }

    /// Sends the next outputs of parked partitions, and resumes partitions without unacknowledged outputs.
    func advanceParked(_ clients: ProcessorClients) throws {
        try parkOverdue(clients)
        guard assignedPartitions.contains(where: { $0?.isParked ?? false }) else { return }
        try sendParked(clients)
        // A pending rebalance comes first, because librdkafka would interpret a restart as the reply to it.
        guard !clients.consumer.hasRebalance() else { return }
        let done = assignedPartitions.compactMap { $0 }.filter { $0.isParked && $0.undeliveredCount == 0 }
        if !done.isEmpty { try unpark(done, clients) }
    }

    /// Sends the next step (``ParkedOutput/step``) of parked partitions whose sent outputs are acknowledged.
    func sendParked(_ clients: ProcessorClients) throws {
        for case let assigned? in assignedPartitions where assigned.isParked && assigned.inFlight.outstanding == 0 {
            guard let step = assigned.parkedOutputs.first?.step else { continue }
            var count = 0
            for output in assigned.parkedOutputs {
                let isSent =
                    try output.step == step
                    && output.withRecord { record, headers in
                        try queue(
                            record, &headers, byteCount: output.byteCount, topic: output.topic, of: assigned, clients)
                    }
                guard isSent else { break }
                count += 1
            }
            assigned.parkedOutputs.removeFirst(count)
            assigned.closeBatch()
        }
    }

    /// Resumes partitions after the last record that was read; records fetched during the pause were discarded.
    private func unpark(_ done: [AssignedPartition], _ clients: ProcessorClients) throws {
        var positions: [TopicPartition: KafkaPosition] = [:]
        for assigned in done {
            positions.merge(zip(topicPartitions(of: assigned.number), assigned.nextFetched)) { $1 }
            assigned.unpark()
        }
        try clients.consumer.restart(positions)
        try clients.consumer.resume(Array(positions.keys))
        context.logger.notice(
            "Outputs acknowledged; resuming partitions.", metadata: .of([.partitions: "\(done.map(\.number))"]))
        publishStatus()
    }

    /// Updates metrics and readiness with the age of the oldest unacknowledged outputs.
    func reportUnacknowledged() {
        let now = ContinuousClock.now
        var overdue: [Int32] = []
        var oldest = Duration.zero
        for case let assigned? in assignedPartitions {
            let age = assigned.unacknowledgedAge(at: now)
            metrics.unacknowledged.set(Double(age.wholeMilliseconds) / 1000, assigned.number)
            guard age >= settings.notReadyAfter else { continue }
            overdue.append(assigned.number)
            oldest = max(oldest, age)
        }
        state.outputProblem = Self.problem(overdue, oldest, outputNames)
        publishStatus()
    }

    private static func problem(_ partitions: [Int32], _ age: Duration, _ topics: [String]) -> String? {
        guard !partitions.isEmpty else { return nil }
        let names = partitions.map { "\($0)" }.joined(separator: ", ")
        return "Outputs of partitions \(names) have not been acknowledged for \(age.components.seconds) s: check that "
            + "these partitions of \(topics.joined(separator: ", ")) have a leader and enough in-sync replicas."
    }
}
