import ArgumentParser
import Codec
import Domain
import Foundation
import Kafka
import Runtime
import Support

/// `sightline dead-letters`: counts dead letters by reason.
struct DeadLettersCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dead-letters", abstract: "Count the dead letters of a period by topic and reason.",
        discussion: """
            Reads \(topics.map(\.rawValue).joined(separator: " and ")) from the start of the period to \
            their ends. For each reason it prints the count, and the time, offset and message of the last dead letter.

            To list the records: sightline tail TOPIC --from-beginning --reason REASON
            """)

    static let topics = PipelineTopic.allCases.filter(\.isDeadLetter)

    @Option(
        help: "Length of the period until now, by receipt time, such as 90s, 30min, 2h or 7d.",
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
                "No dead letters since \(WallClock.text(from)). For a longer period, use --last, such as --last 14d; "
                + "the retention is \(Self.topics.compactMap(\.retentionHours).max().map { $0 / 24 } ?? 0) days."
            print(TextTable.wrapped(text, width: width).joined(separator: "\n"))
            return
        }
        for line in sums.table(width: width) { print(line) }
        print("\(pluralize(sums.count, "dead letter")) since \(WallClock.text(from))")
    }

    private func read(_ access: PipelineAccess, from: Timestamp) throws -> DeadLetterSums {
        // The topics may have different partition counts.
        let counts = try access.partitionCounts(of: Self.topics)
        let reader = try KafkaReader(access.kafka, log: PipelineAccess.log)
        defer { reader.close() }
        let names = Dictionary(uniqueKeysWithValues: Self.topics.map { (access.name(of: $0), $0.rawValue) })
        let starts = Dictionary(
            uniqueKeysWithValues: PipelineAccess.partitions(counts).map { ($0, KafkaReader.Start.time(from)) })
        var sums = DeadLetterSums()
        var progress = ProgressLine()
        defer { progress.clear() }
        let stop = StopSignal()
        try reader.readToEnd(starts) {
            progress.show { "\(pluralize(sums.count, "dead letter")) read" }
            try stop.check()
        } body: { _, _, message in
            // A partition without a record since `from` is read from its oldest record.
            guard message.timestamp >= from else { return }
            sums.add(
                DeadLetterSums.Letter(
                    topic: names[reader.topic(at: message.input)] ?? "", partition: message.partition,
                    offset: message.offset, timestamp: message.timestamp.readable.milliseconds, key: message.key.string,
                    headers: DeadLetterHeaders(message.textHeaders)))
        }
        return sums
    }
}
