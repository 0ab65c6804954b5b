import Kafka
import Logging

extension ProcessorLoop {
    func giveBack(_ partitions: [TopicPartition]) throws {
        guard let clients else { return }
        let numbers = numbers(of: partitions)
        frame.logger.info("Partitions go to another process.", metadata: .of([.partitions: "\(numbers)"]))
        let leaving = numbers.compactMap { tasks[Int($0)] }
        try drain(leaving, clients)
        // What the producer still holds would come after the successor's records.
        if leaving.contains(where: \.hasUndelivered) { throw PartitionsLost(cause: .undelivered) }
        for task in leaving { report(task) }
        try endPauses(of: numbers, clients)
        dropPartitions(numbers)
        try clients.consumer.release(partitions)
    }

    func lose(_ partitions: [TopicPartition]) throws { throw PartitionsLost(cause: .group) }

    /// Makes sure that the partitions are still this process's, before anything is written for them and while a wait
    /// lasts.
    /// - Throws: ``PartitionsLost``.
    func checkPartitions() throws {
        if clients?.consumer.arePartitionsLost == true { throw PartitionsLost(cause: .group) }
        if sleepWatch.hasSlept() { throw PartitionsLost(cause: .sleep) }
        if pollLease.hasExpired() { throw PartitionsLost(cause: .poll) }
    }

    /// Goes on as a process started just now: what the producer still holds would come after the successor's records,
    /// and a group that took the partitions away gives out others.
    func beginAnew(_ loss: PartitionsLost) throws {
        frame.logger.warning(
            "\(loss.cause.rawValue); the worker joins its group again.",
            metadata: .of([
                .partitions: "\(tasks.compactMap { $0?.core.partition })",
                .outputsDropped: "\(undelivered(tasks.compactMap { $0 }))",
            ]))
        let isCut = clients?.consumer.isCut == true
        forgetEverything(.inBackground)
        clients = try ProcessorClients(plan, inputs: inputNames, outputs: outputNames, isCut: isCut)
        state.take(.rejoining)
        sleepWatch.forget()
        _ = pollLease.renew()
        noteRestores()
    }

    /// Frees what the process holds.
    func forgetEverything(_ ending: ProcessorClients.Ending) {
        dropPartitions(Array(0..<Int32(tasks.count)))
        for message in borrowed { message.destroy() }
        borrowed = []
        outputs.removeAll()
        unacknowledged.removeAll()
        clients?.close(ending)
        clients = nil
    }

    private func numbers(of partitions: [TopicPartition]) -> [Int32] { Set(partitions.map(\.partition)).sorted() }

    /// The partitions of all inputs with this number.
    func topicPartitions(of number: Int32) -> [TopicPartition] {
        inputNames.map { TopicPartition(topic: $0, partition: number) }
    }

    /// Begins to restore partitions that the group has given to this process.
    ///
    /// The group is answered at once, without the partitions: they are this process's from now on, and are not fetched
    /// before they are restored. Until an assignment is answered, the client library takes no further change and keeps
    /// to itself that partitions are lost.
    func take(_ assigned: [TopicPartition]) throws {
        guard let clients else { return }
        try clients.consumer.accept([], positions: [:])
        let numbers = numbers(of: assigned)
        guard !numbers.isEmpty else { return }
        guard assigned.count == numbers.count * inputNames.count, numbers.allSatisfy({ $0 < tasks.count }) else {
            throw WorkerError(
                .partitionsMismatch,
                "The group gave out partitions that do not match between \(inputNames.joined(separator: ", ")): topics have "
                    + "changed since the start; even them out with `sightline topics create` and start again.")
        }
        restores.append(PendingRestore(partitions: numbers))
        noteRestores()
    }
}
