import ArgumentParser
import Domain
import Foundation
import Kafka
import Recordings
import Runtime
import SightlineCLI

/// `sightline-client-audit`: compares what clients of rider-gateway received with `rider.updates`.
package struct ClientAuditCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "sightline-client-audit",
        abstract: "Compare what clients of rider-gateway received with rider.updates.",
        discussion: """
            Each file is the log of one client, as Examples/follow.py --log writes it: every message as received, one \
            JSON object per line, and a line {"type":"connected"} at the start of each connection.

            In each channel, a client must receive every record after the start of its first subscription once, byte \
            for byte and in the order of its partition, over all connections. A subscription starts at its cursor, or, \
            if it resumes, at replay_from or its first missed event. A later full snapshot (replay_from null with a \
            snapshot, or full_refresh true) replaces the records up to its cursor. Records after the last one that a \
            client received are counted, but are not missing.

            Exit code: 0 without differences, 1 with differences, 2 after an error.
            """)

    @Argument(help: "Logs of clients.", completion: .file())
    var files: [String]

    @Option(help: "Maximum number of differences to print.")
    var examples = 10

    @Option(help: "Also write the report to this file, as JSON.", completion: .file())
    var json: String?

    package init() {}

    package func run() async throws {
        let report: ClientReport
        do {
            report = try audit(PipelineAccess())
            print(report.text)
            if let json { try ReportFile.write(ReportFile.json(report), to: json) }
        } catch {
            StandardError.write("Error: \(error)\n")
            throw ExitCode(2)
        }
        if report.differences > 0 { throw ExitCode(1) }
    }

    private func audit(_ access: PipelineAccess) throws -> ClientReport {
        // Reads the logs before the topic, so that the topic contains everything that clients received.
        let logs = try files.map { try ReceivedLog(path: $0) }
        var records = ChannelRecords(channels: logs.reduce(into: []) { $0.formUnion($1.channels) })
        try read(access, into: &records)
        var report = ClientReport(exampleLimit: examples)
        for log in logs { ReceivedComparison(log, with: records).run(into: &report) }
        return report
    }

    /// Reads all partitions, because any of them can contain records of a channel.
    private func read(_ access: PipelineAccess, into records: inout ChannelRecords) throws {
        let count = try access.partitionCount(of: [.riderUpdates])
        let reader = try KafkaReader(access.kafka, log: PipelineAccess.log)
        defer { reader.close() }
        var starts: [TopicPartition: KafkaReader.Start] = [:]
        for partition in 0..<Int32(count) {
            let name = TopicPartition(topic: access.name(of: .riderUpdates), partition: partition)
            if try reader.offsetRange(of: name).low > 0 { records.truncated.insert(partition) }
            starts[name] = .position(.beginning)
        }
        try reader.readToEnd(starts) { _, _, message in
            let record = message.record
            guard let event = record.event else { return }
            records.add(event, offset: record.offset, key: record.key, value: record.value)
        }
    }
}
