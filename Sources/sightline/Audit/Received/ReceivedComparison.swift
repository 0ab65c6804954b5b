import Support

/// Compares what one client received with the records of its channels.
///
/// In each channel the client has to receive every record after the cursor of its first subscription once, and those of
/// a partition in their order, over all its connections. A later state in full stands for the records up to its cursor
/// that the client had not come to. What the topic has after the last record that the client received is not missing.
final class ReceivedComparison {
    struct Options {
        /// The partitions that are compared; `nil` for all.
        var partitions: Set<Int32>?
        /// Whether a position may be left out, as a gateway does for a client that takes its messages too slowly.
        var allowsCoalescedPositions = false
    }

    private let log: ReceivedLog
    private let records: ChannelRecords
    private let check: AuditCheck
    private let options: Options
    /// By channel that the client was subscribed to.
    private var channels: [String: [Int32: ReceivedPartition]] = [:]
    /// The channels that the client is subscribed to in the present connection.
    private var subscribed: Set<String> = []
    private var fullRefreshes = 0

    /// `check`: where differences are noted.
    init(_ log: ReceivedLog, with records: ChannelRecords, check: AuditCheck, _ options: Options = Options()) {
        self.log = log
        self.records = records
        self.check = check
        self.options = options
    }

    /// Compares the log from its beginning to its end; to be called once.
    func run() -> ReceivedTotals {
        for entry in log.entries {
            switch entry.message {
            case .connected: subscribed = []
            case .answer(let answer): take(answer, line: entry.line)
            case .unsubscribed(let channel): subscribed.remove(channel)
            case .event(let event): take(event, line: entry.line)
            case .other: break
            }
        }
        for (channel, partitions) in channels.sorted(by: { $0.key < $1.key }) {
            for (_, partition) in partitions.sorted(by: { $0.key < $1.key }) { finish(partition, of: channel) }
        }
        return ReceivedTotals(
            clients: 1, connections: log.connections, channels: channels.count, fullRefreshes: fullRefreshes)
    }

    private func take(_ answer: ReceivedAnswer, line: Int) {
        subscribed.insert(answer.channel)
        if channels[answer.channel] == nil {
            channels[answer.channel] = begin(answer)
        } else if answer.isFullRefresh {
            fullRefreshes += 1
            forEachPartition(of: answer) { partition, count in
                let told = partition.tell(upTo: count)
                if told > 0 { check.excuse(.toldInFull, told) }
            }
        }
        for event in answer.missed { take(event, line: line) }
        if answer.isWhole, !answer.isFullRefresh {
            forEachPartition(of: answer) { $0.require(upTo: $1, line: line) }
        }
    }

    /// What the client has of each partition when it gets its first answer about a channel.
    private func begin(_ answer: ReceivedAnswer) -> [Int32: ReceivedPartition] {
        var partitions: [Int32: ReceivedPartition] = [:]
        for (number, topic) in records.partitions(of: answer.channel) where isCompared(number) {
            let before = answer.isFullRefresh ? answer.cursor : answer.replayFrom ?? answer.cursor
            // A state_sync does not say from where it resumes: from before the first event that it brings.
            let missed = answer.missed.filter { $0.event.partition == number }
            let count = topic.count(upTo: before[number])
            let start = missed.compactMap { topic.place(of: $0.event) }.min() ?? count
            partitions[number] = ReceivedPartition(topic, from: min(count, start))
        }
        return partitions
    }

    /// Calls `body` with each partition of the answer's channel, and how many of its records the cursor covers.
    private func forEachPartition(of answer: ReceivedAnswer, _ body: (inout ReceivedPartition, Int) -> Void) {
        for (number, var partition) in channels[answer.channel] ?? [:] {
            body(&partition, partition.topic.count(upTo: answer.cursor[number]))
            channels[answer.channel]?[number] = partition
        }
    }

    private func take(_ event: ReceivedEvent, line: Int) {
        guard isCompared(event.event.partition) else { return }
        var partition = channels[event.channel]?[event.event.partition]
        let place = partition?.topic.place(of: event.event)
        let outcome = place.flatMap { partition?.take($0, line: line) }
        if let partition { channels[event.channel]?[event.event.partition] = partition }
        guard subscribed.contains(event.channel) else {
            return note(.foreign, event, line, "the client is not subscribed to the channel in this connection")
        }
        guard let place, let outcome, let record = partition?.topic.records[place] else {
            if records.mayBeDeleted(event.event) { return check.excuse(.retention) }
            return note(.foreign, event, line, "the topic has no such record")
        }
        note(outcome, event, record, line)
    }

    private func isCompared(_ partition: Int32) -> Bool { options.partitions?.contains(partition) ?? true }
}

/// What is noted.
extension ReceivedComparison {
    private func note(
        _ outcome: ReceivedPartition.Outcome, _ event: ReceivedEvent, _ record: ChannelRecords.Record, _ line: Int
    ) {
        let offset = record.offset
        switch outcome {
        case .inOrder: break
        case .late: note(.outOfOrder, event, line, offset: offset, "a later record of its partition came before it")
        case .again: return note(.doubled, event, line, offset: offset, "it had come before")
        case .alreadyTold: return note(.doubled, event, line, offset: offset, "a state in full had told it before")
        case .beforeLog:
            return note(.doubled, event, line, offset: offset, "the client had it when it subscribed first")
        }
        guard record.value != event.value else { return }
        func audited(_ value: [UInt8]) -> AuditedRecord {
            AuditedRecord(
                partition: event.event.partition, offset: offset, event: event.event,
                timestamp: Timestamp(milliseconds: 0), key: [], value: value)
        }
        let what = TopicComparison.difference(audited(record.value), audited(event.value)) ?? ""
        note(.wrong, event, line, offset: offset, what)
    }

    private func note(
        _ kind: AuditDifference.Kind, _ event: ReceivedEvent, _ line: Int, offset: Int64? = nil, _ what: String
    ) {
        check.note(kind, event.event, offset: offset, key: event.channel, "\(log.path), line \(line): \(what)")
    }

    private func finish(_ partition: ReceivedPartition, of channel: String) {
        check.compared += partition.receivedCount
        for (record, line) in partition.missing {
            if record.isPosition, options.allowsCoalescedPositions {
                check.excuse(.coalesced)
                continue
            }
            check.compared += 1
            check.note(
                .missing, record.event, offset: record.offset, key: channel,
                "\(log.path), line \(line): the client is past it and has not received it")
        }
        if partition.countBeyond > 0 { check.excuse(.beyondClient, partition.countBeyond) }
    }
}
