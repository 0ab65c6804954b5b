import Foundation
import Kafka
import Support
import TestSupport
import Testing

@Suite(
    "Producers with another partitioner", .blocking, .serialized,
    .enabled(if: TestServices.areAvailable, "\(TestServices.hint)"), .timeLimit(.minutes(10)))
struct MisplacedKeyTests {
    @Test("a trip in another partition than its driver's is counted, logged, and reported with advice by /readyz")
    func misplacedTrip() async throws {
        let stack = try await PipelineStack(partitions: 2)
        defer { stack.end() }
        let worker = try await stack.start("eta-worker")
        let producer = try KafkaProducer(stack.kafka) { _ in }
        let topic = try producer.topic("\(stack.name).trips")
        let keyPartition = ByteSlice.withBytes(of: "drv_17") { key in
            let keyPartition = murmur2Partition(key: key, count: 2)
            ByteSlice.withBytes(of: #"{"trip_id":"tr_1","state":"REQUESTED"}"#) { value in
                _ = producer.produce(
                    .init(key: key, value: value, timestamp: Timestamp(milliseconds: 1_770_000_000_000)), to: topic,
                    partition: 1 - keyPartition, token: 0)
            }
            return keyPartition
        }
        #expect(try producer.flush(deadline: .now + .seconds(30)) { _, _ in })
        producer.close()
        let port = UInt16(worker.port)
        try await eventually("readiness reports the misplaced key") {
            Loopback.get(port: port, path: "/readyz")?.contains("\"misplaced_keys\":1") == true
        }
        let metric = #"sightline_keys_misplaced_total{stage="eta",topic="trips"} 1"#
        let metrics = try #require(Loopback.get(port: port, path: "/metrics"))
        #expect(metrics.contains(metric), "\(metrics.split(separator: "\n").filter { $0.contains("misplaced") })")
        let ready = try await stack.sightline("health", "--ready", "--url", "http://127.0.0.1:\(worker.port)")
        #expect(ready.contains("\"advice\":") && ready.contains("partitioner=murmur2_random"), "\(ready)")
        let warning = worker.program.output.split(separator: "\n").first { $0.contains("murmur2_random") }
        for part in ["\(stack.name).trips", "\"key_partition\":\"\(keyPartition)\"", "\"warn"] {
            #expect(warning?.contains(part) == true, "\(part): \(warning ?? "no warning")")
        }
    }
}
