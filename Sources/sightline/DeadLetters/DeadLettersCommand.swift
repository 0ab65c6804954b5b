import ArgumentParser
import Codec
import Foundation
import Kafka
import Model
import Recordings
import Runtime
import Support

/// `sightline dead-letters`: why records were not processed, summed up.
struct DeadLettersCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dead-letters", abstract: "Sum up the dead letters of a period by topic and reason.",
        discussion: """
            Reads \(topics.map(\.rawValue).joined(separator: " and ")) from the period's beginning to \
            their end. Each reason comes with its count, the time and offset of its last dead letter, and what that says.

            Their records one by one: sightline tail TOPIC --from-beginning --reason REASON
            """)

    /// The topics that hold dead letters.
    static let topics = PipelineTopic.allCases.filter(\.isDeadLetter)

    @Option(
        help: "How far back to look, by the time of receipt, such as 90s, 30min, 2h or 7d.",
        transform: PeriodLength.init)
    var last = PeriodLength.day

    @Flag(help: "Print one JSON object.")
    var json = false

    func run() throws {
        let access = try PipelineAccess()
        let now = WallClock.milliseconds()
        let from = now - last.seconds * 1000
        let sums = try read(access, from: Timestamp(milliseconds: from))
        if json {
            FileHandle.standardOutput.write(try ReportFile.json(DeadLetterReport(sums, from: from, to: now)))
            return
        }
        let width = Terminal.current().width
        guard sums.count > 0 else {
            let text =
                "No dead letters since \(WallClock.text(from)). A longer period, such as --last 14d, searches further; "
                + "the topics are kept for \(Self.topics.compactMap(\.retentionHours).max().map { $0 / 24 } ?? 0) days."
            print(FittedTable.wrapped(text, width: width).joined(separator: "\n"))
            return
        }
        for line in sums.table(width: width) { print(line) }
        print("\(Noun("dead letter").count(sums.count)) since \(WallClock.text(from))")
    }

    private func read(_ access: PipelineAccess, from: Timestamp) throws -> DeadLetterSums {
        let reader = try KafkaReader(access.kafka, log: PipelineAccess.log)
        defer { reader.close() }
        let names = Dictionary(uniqueKeysWithValues: Self.topics.map { (access.name(of: $0), $0) })
        let counts = try reader.partitionCounts(of: names.keys.sorted())
        let missing = names.keys.filter { counts[$0] == nil }.sorted()
        guard missing.isEmpty else {
            throw InputError(
                "There is no topic \(missing.joined(separator: " or ")); `sightline topics create` makes them.")
        }
        var starts: [TopicPartition: KafkaReader.Start] = [:]
        for (name, count) in counts {
            for partition in 0..<Int32(count) {
                starts[TopicPartition(topic: name, partition: partition)] = .time(from)
            }
        }
        var sums = DeadLetterSums()
        var progress = ProgressLine()
        defer { progress.clear() }
        let stop = StopSignal()
        try reader.readToEnd(starts) {
            progress.show { "\(Noun("dead letter").count(sums.count)) read" }
            try stop.check()
        } body: { _, _, message in
            // A partition without a record so late is read from its oldest.
            guard message.timestamp >= from else { return }
            sums.add(
                DeadLetterSums.Letter(
                    topic: names[reader.topic(at: message.input)]?.rawValue ?? "", partition: message.partition,
                    offset: message.offset, timestamp: message.timestamp.readable.milliseconds, key: message.key.string,
                    headers: DeadLetterHeaders(message.textHeaders)))
        }
        return sums
    }
}
