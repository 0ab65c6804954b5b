import Kafka
import Model
import Processing
import Recordings

/// Compares what clients received with `rider.updates`: reads their logs, then the topic.
///
/// Belongs to one thread. Holds all messages of the logs, and of the topic the records of their channels.
final class ReceivedSession {
    struct Options {
        /// One log for each client.
        var files: [String]
        /// `nil` for all.
        var partitions: [Int32]?
        var allowsCoalescedPositions = false
        var examples = 10
    }

    static let topic = PipelineTopic.riderUpdates

    private let access: PipelineAccess
    private let readers: ReaderPool
    private let options: Options
    private let stop: StopSignal
    private let show: (String) -> Void
    private var recordsRead = 0

    /// `show` is told again and again what is under way.
    init(
        _ access: PipelineAccess, _ options: Options, stop: StopSignal = StopSignal(), show: @escaping (String) -> Void
    ) {
        self.access = access
        self.options = options
        self.stop = stop
        self.show = show
        readers = ReaderPool(access)
    }

    /// An empty check of what clients received.
    static func check(exampleLimit: Int) -> AuditCheck {
        AuditCheck(
            "received",
            "each client received every record of its channels after the cursor of its first subscription, once, byte "
                + "for byte and in the order of the partition, or a state in full in its place",
            exampleLimit: exampleLimit)
    }

    /// Compares all logs.
    func run() throws -> AuditReport {
        // Before the topic's ends are looked up: whatever a client has received lies before them.
        let logs = try options.files.map { path in
            try stop.check()
            show("reading \(path)")
            return try ReceivedLog(path: path)
        }
        let count = try access.partitionCount(of: [Self.topic])
        let partitions = options.partitions ?? Array(0..<Int32(count))
        if let wrong = partitions.first(where: { $0 >= count }) {
            throw InputError("There is no partition \(wrong); the last one is \(count - 1).")
        }
        let records = try read(partitions, channels: logs.reduce(into: []) { $0.formUnion($1.channels) })
        let check = Self.check(exampleLimit: options.examples)
        let comparison = ReceivedComparison.Options(
            partitions: options.partitions.map { Set($0) }, allowsCoalescedPositions: options.allowsCoalescedPositions)
        var totals = ReceivedTotals()
        for log in logs { totals += ReceivedComparison(log, with: records, check: check, comparison).run() }
        return AuditReport(partitions: partitions, checks: [check], recordsRead: recordsRead, received: totals)
    }

    /// Reads all partitions: a channel may be written by another one at any time.
    private func read(_ partitions: [Int32], channels: Set<String>) throws -> ChannelRecords {
        let ends = try TopicEnds(access, partitions: partitions).find([Self.topic], check: stop.check)
        var records = ChannelRecords()
        for partition in partitions {
            let end = ends[SinkPartition(topic: Self.topic.rawValue, partition: partition)] ?? 0
            let source = try PartitionSource(
                readers, Self.topic, partition: partition, end: end, check: stop.check
            ) { [self] in
                recordsRead += 1
                guard recordsRead % 1024 == 0 else { return }
                try stop.check()
                show("partition \(partition): \(recordsRead) records read")
            }
            try records.read(partition, from: source, channels: channels, isCut: try end > 0 && low(partition) > 0)
        }
        return records
    }

    private func low(_ partition: Int32) throws -> Int64 {
        let reader = try readers.take()
        defer { readers.giveBack(reader) }
        return try reader.watermarks(of: TopicPartition(topic: access.name(of: Self.topic), partition: partition)).low
    }
}
