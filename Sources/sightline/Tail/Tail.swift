import ArgumentParser
import Foundation
import Kafka
import Model
import Recordings

/// `sightline tail`: follows a topic, one line per record.
struct Tail: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Follow a topic and show its records, one line each.",
        discussion: """
            The pipeline's topics are named without the environment's prefix: \
            \(PipelineTopic.allCases.map(\.rawValue).joined(separator: ", ")). Any other name is taken as it is.

            A dead letter comes with its reason, the field at fault, and the partition and offset of the record that was \
            refused; `sightline dead-letters` sums them up. Times are in UTC. Colours are left out of pipes and where NO_COLOR is set.
            """)

    @Argument(help: "The topic.")
    var topic: String

    @Flag(help: "Begin with the oldest record instead of the next one.")
    var fromBeginning = false

    @Option(help: "Show this partition only.")
    var partition: Int32?

    @OptionGroup var filter: TailFilter

    @Option(help: "End after this many records were shown; until Ctrl-C unless given.")
    var count: Int?

    @Flag(
        help: """
            One JSON object per record: partition, offset, timestamp, key and value as it is; of a dead letter also its \
            reason, field, message and source.
            """)
    var json = false

    @Flag(help: "Leave out the line of column names.")
    var noHeading = false

    func validate() throws {
        if let partition, partition < 0 { throw ValidationError("--partition counts from 0.") }
        if let count, count < 1 { throw ValidationError("--count is at least 1.") }
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
        var left = count ?? .max
        let batch = reader.makeBatch(capacity: 512)
        defer { batch.removeAll() }
        try reader.start(starts)
        while left > 0, !stop.isRaised {
            try reader.poll(into: batch, waitMilliseconds: 200)
            for index in 0..<batch.count where left > 0 {
                switch batch[index] {
                case .message(let message)?:
                    let record = message.record
                    let entry = renderer.entry(record) { message.textHeaders }
                    guard filter.takes(entry) else { continue }
                    print(renderer.line(record, entry))
                    left -= 1
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
            throw InputError("There is no topic \(name); `sightline topics list` names those there are.")
        }
        if let partition, partition >= partitions {
            throw InputError("\(name) has no partition \(partition); its last one is \(partitions - 1).")
        }
        let all = (partition.map { $0...$0 } ?? 0...Int32(partitions - 1)).map {
            TopicPartition(topic: name, partition: $0)
        }
        if fromBeginning { return Dictionary(uniqueKeysWithValues: all.map { ($0, .beginning) }) }
        // Listed ends may lie too low; reading to the end finds the true ones.
        let ends = try reader.readToEnd(
            Dictionary(uniqueKeysWithValues: all.map { ($0, .position(.end)) })
        ) { _, _, _ in }
        return ends.mapValues { .offset($0) }
    }
}
