import ArgumentParser
import Domain
import Foundation
import Kafka
import Recordings

/// `sightline tail`: prints the records of a topic, one line each.
struct Tail: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Follow a topic and print its records, one line each.",
        discussion: """
            Give the names of the pipeline's topics without SIGHTLINE_TOPIC_PREFIX: \
            \(PipelineTopic.allCases.map(\.rawValue).joined(separator: ", ")). Any other name is used unchanged.

            A dead letter is printed with its reason and field, and the partition and offset of the rejected record; \
            `sightline dead-letters` counts them. Times are in UTC. Colours are off in pipes and if NO_COLOR is set.
            """)

    @Argument(help: "The topic.")
    var topic: String

    @Flag(help: "Start with the oldest record instead of the next one.")
    var fromBeginning = false

    @Option(help: "Only this partition.")
    var partition: Int32?

    @OptionGroup var filter: TailFilter

    @Option(help: "Stop after this many records; by default at Ctrl-C.")
    var count: Int?

    @Flag(
        help: """
            Print one JSON object per record: partition, offset, timestamp, key and value; for a dead letter also \
            reason, field, message and source.
            """)
    var json = false

    @Flag(help: "Omit the line of column names.")
    var noHeading = false

    func validate() throws {
        if let partition, partition < 0 { throw ValidationError("--partition must be at least 0.") }
        if let count, count < 1 { throw ValidationError("--count must be at least 1.") }
        try filter.check(PipelineTopic(rawValue: topic), name: topic)
    }

    func run() throws {
        let access = try PipelineAccess()
        let known = PipelineTopic(rawValue: topic)
        let name = known.map { access.name(of: $0) } ?? topic
        let reader = try KafkaReader(access.kafka, log: PipelineAccess.log)
        defer { reader.close() }
        let starts = try starts(of: name, reader)
        let stop = StopSignal()
        let renderer = RecordRenderer(topic: known, isJSON: json, filters: filter.kinds, terminal: .current())
        if !noHeading, let heading = renderer.heading { print(heading) }
        fflush(nil)
        var remaining = count ?? .max
        let batch = reader.makeBatch(capacity: 512)
        defer { batch.removeAll() }
        try reader.start(starts)
        while remaining > 0, !stop.isRaised {
            try reader.poll(into: batch, waitMilliseconds: 200)
            for index in 0..<batch.count where remaining > 0 {
                switch batch[index] {
                case .message(let message)?:
                    let record = message.record
                    let entry = renderer.entry(record) { message.textHeaders }
                    guard filter.matches(entry) else { continue }
                    print(renderer.line(record, entry))
                    remaining -= 1
                case .failure(_, _, _, let error)?: if !error.isRetriable { throw error }
                case .end?, nil: continue
                }
            }
            batch.removeAll()
            fflush(nil)
        }
    }

    private func starts(of name: String, _ reader: KafkaReader) throws -> [TopicPartition: KafkaPosition] {
        guard let partitions = try reader.partitionCounts(of: [name])[name] else {
            throw InputError("There is no topic \(name); run `sightline topics list`.")
        }
        if let partition, partition >= partitions {
            throw InputError("\(name) has no partition \(partition); the last one is \(partitions - 1).")
        }
        let all = (partition.map { $0...$0 } ?? 0...Int32(partitions - 1)).map {
            TopicPartition(topic: name, partition: $0)
        }
        if fromBeginning { return Dictionary(uniqueKeysWithValues: all.map { ($0, .beginning) }) }
        // Reads to the end, because the end offsets that brokers list may be too low.
        let ends = try reader.readToEnd(
            Dictionary(uniqueKeysWithValues: all.map { ($0, .position(.end)) })
        ) { _, _, _ in }
        return ends.mapValues { .offset($0) }
    }
}
