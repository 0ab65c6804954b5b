import Domain
import Foundation
import Kafka
import Support
import TestSupport
import Testing

@Suite(
    "Offline and live", .blocking, .serialized, .enabled(if: TestServices.areAvailable, "\(TestServices.hint)"),
    .timeLimit(.minutes(10)))
struct OfflineTests {
    private struct Record {
        var key: String
        var value: String
        var at: Timestamp
    }

    /// Two drivers on a ride each, a fix a second, an hour ago.
    private let start = Timestamp(
        milliseconds: (Int64(Date().timeIntervalSince1970) - 3600) * 1000)

    private var locations: [Record] {
        (0..<180).flatMap { second in
            (1...2).map { driver in
                let at = start.advanced(bySeconds: Double(second) + Double(driver) / 10)
                let latitude = 48.1 + Double(driver) / 100 + Double(second) * 0.0001
                let value = """
                    {"type":"location","driver_id":"drv_\(driver)","sequence":\(second + 1),"payload":\
                    {"latitude":\(latitude),"longitude":11.5,"accuracy_meters":\(5 + second % 3),"speed_mps":11.1,\
                    "timestamp":\(at.milliseconds),"trip_id":"trip_\(driver)"}}
                    """
                return Record(key: "drv_\(driver)", value: value, at: at)
            }
        }
    }

    private var trips: [Record] {
        (1...2).flatMap { driver in
            [("ACCEPTED", 3.0), ("ARRIVED", 60), ("IN_PROGRESS", 70), ("COMPLETED", 150)].map { state, seconds in
                let at = start.advanced(bySeconds: seconds + Double(driver) / 10)
                let latitude = 48.1 + Double(driver) / 100
                let value = """
                    {"trip_id":"trip_\(driver)","driver_id":"drv_\(driver)","state":"\(state)",\
                    "changed_at":\(at.milliseconds),"stops":[\
                    {"stop_id":"pickup","kind":"PICKUP","latitude":\(latitude + 0.006),"longitude":11.5},\
                    {"stop_id":"dropoff","kind":"DROPOFF","latitude":\(latitude + 0.015),"longitude":11.5}]}
                    """
                return Record(key: "drv_\(driver)", value: value, at: at)
            }
        }.sorted { $0.at < $1.at }
    }

    private func send(_ records: [Record], to topic: PipelineTopic, of stack: PipelineStack) throws {
        let producer = try KafkaProducer(configuration(stack)) { _ in }
        defer { producer.close() }
        let handle = try producer.topic(stack.name + "." + topic.rawValue)
        for (ticket, record) in records.enumerated() {
            ByteSlice.withBytes(of: record.key) { key in
                ByteSlice.withBytes(of: record.value) { value in
                    _ = producer.produce(
                        .init(key: key, value: value, timestamp: record.at), to: handle, partition: 0, token: ticket)
                }
            }
        }
        var failures = 0
        let isDone = try producer.flush(deadline: .now + .seconds(20)) { _, error in failures += error == nil ? 0 : 1 }
        #expect(isDone && failures == 0)
    }

    private func configuration(_ stack: PipelineStack) -> KafkaConfiguration {
        KafkaConfiguration(bootstrapServers: stack.environment["KAFKA_BOOTSTRAP_SERVERS"] ?? "")
    }

    private func values(_ topic: PipelineTopic, of stack: PipelineStack) throws -> [String] {
        let reader = try KafkaReader(configuration(stack)) { _ in }
        defer { reader.close() }
        var found: [String] = []
        let partition = TopicPartition(topic: stack.name + "." + topic.rawValue, partition: 0)
        try reader.readToEnd([partition: .position(.beginning)]) { _, _, message in
            found.append(message.record.value?.string ?? "null")
        }
        return found
    }

    private func file(_ name: String, _ records: [Record], of stack: PipelineStack) throws -> String {
        let url = stack.logs.appendingPathComponent(name)
        try Data(records.map { $0.value + "\n" }.joined().utf8).write(to: url)
        return url.path
    }

    @Test("sightline process writes the rider updates that the workers write for the same records")
    func sameRecords() async throws {
        let stack = try await PipelineStack(partitions: 1)
        defer { stack.end() }
        let raw = try file("raw.ndjson", locations, of: stack)
        let messages = try file("trips.ndjson", trips, of: stack)
        let names = ["verdicts", "etas", "updates"].map { stack.logs.appendingPathComponent("\($0).ndjson").path }
        try await stack.sightline(
            "process", "--input", raw, "--output", names[0], "--trips", messages, "--etas", names[1],
            "--updates", names[2])
        let offline = try names.map {
            try String(contentsOfFile: $0, encoding: .utf8).split(separator: "\n").map(String.init)
        }
        #expect(offline[0].count == locations.count && offline[1].count > 100 && offline[2].count > 20)

        try send(trips, to: .trips, of: stack)
        try send(locations, to: .rawLocations, of: stack)
        // One after the other: what a worker finds there it takes in by the records' times, as files are.
        let stages: [(String, PipelineTopic)] = [
            ("location-worker", .locations), ("eta-worker", .tripEtas), ("broadcast-worker", .riderUpdates),
        ]
        for (index, (worker, topic)) in stages.enumerated() {
            try await stack.start(worker)
            var live: [String] = []
            try await eventually("\(worker) has written \(offline[index].count) records, not \(live.count)") {
                live = try values(topic, of: stack)
                return live.count >= offline[index].count
            }
            // The workers' time goes on after the last record, and with it what is said of a silence.
            #expect(Array(live.prefix(offline[index].count)) == offline[index], "\(topic)")
        }
    }
}
