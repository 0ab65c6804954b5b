import Domain

/// Comparison of one client's messages with the records of its channels, by the rules in ``ClientAuditCommand``.
final class ReceivedComparison {
    private let log: ReceivedLog
    private let records: ChannelRecords
    private var report = ClientReport(exampleLimit: 0)
    /// Progress by channel and partition.
    private var channels: [String: [Int32: ReceivedPartition]] = [:]
    /// The subscriptions of the current connection.
    private var subscribed: Set<String> = []

    init(_ log: ReceivedLog, with records: ChannelRecords) {
        self.log = log
        self.records = records
    }

    /// Compares the log and adds the results to a report; must be called only once.
    func run(into total: inout ClientReport) {
        report = total
        for entry in log.entries {
            switch entry.message {
            case .connected: subscribed = []
            case .answer(let answer): apply(answer, line: entry.line)
            case .unsubscribed(let channel): subscribed.remove(channel)
            case .event(let event): apply(event, line: entry.line)
            case .other: break
            }
        }
        for (channel, partitions) in channels.sorted(by: { $0.key < $1.key }) {
            for (_, partition) in partitions.sorted(by: { $0.key < $1.key }) { finish(partition, of: channel) }
        }
        report.clients += 1
        report.connections += log.connections
        report.channels += channels.count
        total = report
    }

    private func apply(_ answer: ReceivedAnswer, line: Int) {
        subscribed.insert(answer.channel)
        if channels[answer.channel] == nil {
            channels[answer.channel] = begin(answer)
        } else if answer.isFullSnapshot {
            report.fullSnapshots += 1
            forEachPartition(of: answer) { partition, count in
                let replaced = partition.applySnapshot(upTo: count)
                if replaced > 0 { report.excuse(.replacedBySnapshot, replaced) }
            }
        }
        for event in answer.missed { apply(event, line: line) }
        if answer.isWhole, !answer.isFullSnapshot {
            forEachPartition(of: answer) { $0.require(upTo: $1, line: line) }
        }
    }

    /// Returns the progress in each partition before the first answer about a channel.
    private func begin(_ answer: ReceivedAnswer) -> [Int32: ReceivedPartition] {
        var partitions: [Int32: ReceivedPartition] = [:]
        for (number, topic) in records.partitions(of: answer.channel) {
            let before = answer.isFullSnapshot ? answer.cursor : answer.replayFrom ?? answer.cursor
            // A state_sync has no replay_from, because the client resumes before the first event in the message.
            let missed = answer.missed.filter { $0.event.partition == number }
            let count = topic.count(upTo: before[number])
            let start = missed.compactMap { topic.index(of: $0.event) }.min() ?? count
            partitions[number] = ReceivedPartition(topic, from: min(count, start))
        }
        return partitions
    }

    /// Calls `body` with each partition of the channel and the number of its records that the answer's cursor covers.
    private func forEachPartition(of answer: ReceivedAnswer, _ body: (inout ReceivedPartition, Int) -> Void) {
        for (number, var partition) in channels[answer.channel] ?? [:] {
            body(&partition, partition.topic.count(upTo: answer.cursor[number]))
            channels[answer.channel]?[number] = partition
        }
    }

    private func apply(_ event: ReceivedEvent, line: Int) {
        var partition = channels[event.channel]?[event.event.partition]
        let index = partition?.topic.index(of: event.event)
        let difference = index.flatMap { partition?.receive($0, line: line) }
        if let partition { channels[event.channel]?[event.event.partition] = partition }
        guard subscribed.contains(event.channel) else {
            return add(.unexpected, event, line, "the client is not subscribed to the channel in this connection")
        }
        guard let index, let record = partition?.topic.records[index] else {
            if records.mayBeDeleted(event.event) { return report.excuse(.retention) }
            return add(.unexpected, event, line, "the topic has no such record")
        }
        if let difference { add(difference.kind, event, line, offset: record.offset, difference.what) }
        if difference?.kind != .duplicate, record.value != event.value {
            add(.wrong, event, line, offset: record.offset, Self.difference(record, event))
        }
    }

    private func add(
        _ kind: ClientReport.Kind, _ event: ReceivedEvent, _ line: Int, offset: Int64? = nil, _ what: String
    ) {
        report.add(
            ClientReport.Example(
                kind: kind, channel: event.channel, event: event.event, offset: offset,
                what: "\(log.path), line \(line): \(what)"))
    }

    private func finish(_ partition: ReceivedPartition, of channel: String) {
        report.compared += partition.receivedCount
        for (record, line) in partition.missing {
            report.compared += 1
            report.add(
                ClientReport.Example(
                    kind: .missing, channel: channel, event: record.event, offset: record.offset,
                    what: "\(log.path), line \(line): the client received later data, but not this record"))
        }
        if partition.countBeyond > 0 { report.excuse(.beyondClient, partition.countBeyond) }
    }

    /// Describes the first difference between the values.
    private static func difference(_ record: ChannelRecords.Record, _ event: ReceivedEvent) -> String {
        let (expected, received) = (record.value, event.value)
        let pairs = zip(expected, received).enumerated()
        let at = pairs.first { $1.0 != $1.1 }?.offset ?? min(expected.count, received.count)
        func excerpt(_ bytes: [UInt8]) -> String { String(decoding: bytes.dropFirst(at).prefix(48), as: UTF8.self) }
        return "the value differs at byte \(at): received \(excerpt(received)), expected \(excerpt(expected))"
    }
}
