import Domain
import Foundation
import Support
import TestSupport
import Testing

@Suite(
    "sightline process and the workers", .blocking, .serialized,
    .enabled(if: TestServices.areAvailable, "\(TestServices.hint)"),
    .timeLimit(.minutes(10)))
struct OfflineTests {
    private struct Record {
        var key: String
        var value: String
        var at: Timestamp
    }

    /// Start of the rides of two drivers, an hour ago; each ride has one fix per second.
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

    private func values(_ topic: PipelineTopic, of stack: PipelineStack) throws -> [String] {
        try stack.read(topic).map { $0.value.isEmpty ? "null" : String(decoding: $0.value, as: UTF8.self) }
    }

    private func file(_ name: String, _ records: [Record], of stack: PipelineStack) throws -> String {
        let url = stack.logs.appendingPathComponent(name)
        try Data(records.map { $0.value + "\n" }.joined().utf8).write(to: url)
        return url.path
    }

    @Test("sightline process writes the same verdicts, arrival times and rider updates as the workers")
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

        try stack.send(trips.map { ($0.key, Array($0.value.utf8), $0.at) }, to: .trips)
        try stack.send(locations.map { ($0.key, Array($0.value.utf8), $0.at) }, to: .rawLocations)
        // Each worker starts after the previous one is done, so that it reads complete topics in timestamp order.
        let processors: [(String, PipelineTopic)] = [
            ("location-worker", .locations), ("eta-worker", .tripEtas), ("broadcast-worker", .riderUpdates),
        ]
        for (index, (worker, topic)) in processors.enumerated() {
            try await stack.start(worker)
            var live: [String] = []
            try await eventually("\(worker) has written \(offline[index].count) records, not \(live.count)") {
                live = try values(topic, of: stack)
                return live.count >= offline[index].count
            }
            // The workers may write more, because their stream time advances after the last record.
            #expect(Array(live.prefix(offline[index].count)) == offline[index], "\(topic)")
        }
    }
}
