import ChildProcesses
import Kafka
import KafkaMock
import Support
import TestSupport
import Testing

/// Tests that stop broker 3 of the mock cluster, which leads only partition 0 of driver.locations.raw.
@Suite("driver-gateway with an unavailable partition", .blocking, .serialized, .timeLimit(.minutes(5)))
struct StuckPartitionTests {
    private let gateway: MockedDriverGateway
    private var cluster: MockCluster { gateway.cluster }

    init() async throws {
        gateway = try await MockedDriverGateway(brokers: 3, settings: ["SIGHTLINE_DRIVER_RATE": "1000"]) { cluster in
            for topic in ["driver.locations.raw", "driver.warnings", "trips"] {
                for partition in 0..<MockedDriverGateway.partitions {
                    cluster.setLeader(of: topic, partition: partition, broker: 1)
                }
            }
            cluster.setLeader(of: "driver.locations.raw", partition: 0, broker: 3)
        }
    }

    /// Returns `count` driver ids whose records are in a partition.
    private static func drivers(of partition: Int32, _ count: Int) -> [String] {
        let partitions = Int32(MockedDriverGateway.partitions)
        let all = (0..<1000).map { "drv\($0)" }
        let matching = all.filter { driver in
            ByteSlice.withBytes(of: driver) { murmur2Partition(key: $0, count: partitions) } == partition
        }
        return Array(matching.prefix(count))
    }

    /// Returns the number of records in partition 0 of driver.locations.raw.
    private func recordCount() throws -> Int64 {
        let admin = try KafkaAdmin(cluster.configuration) { _ in }
        return try admin.offsetRange(of: TopicPartition(topic: "driver.locations.raw", partition: 0)).high
    }

    private func waitUntilPartitionIsAvailable() async throws {
        try await eventually("the partition is available: \(gateway.readiness)") {
            gateway.readiness.hasPrefix(#"{"ready":true,"partitions":[]}"#)
        }
    }

    @Test("Drivers of other partitions are served, and /readyz reports the unavailable partition")
    func servesDriversOfOtherPartitions() async throws {
        defer { gateway.end() }
        cluster.takeDown(broker: 3)
        let (stuck, served) = (Self.drivers(of: 0, 30), try #require(Self.drivers(of: 1, 1).first))
        var tokens: [String: String] = [:]
        for driver in stuck + [served] { tokens[driver] = try GatewayTokens.token(driver: driver) }
        let devices = try gateway.startDevice(
            "driver_stuck.py", [stuck.joined(separator: ","), try GatewayTokens.json(tokens), served])
        defer { devices.discard() }
        try await eventually("the devices are done: \(devices.output)") {
            try #require(devices.isRunning, "\(devices.output)")
            return devices.output.contains("done")
        }
        #expect(devices.output.matches(of: /served 200 None/).count == 5, "\(devices.output)")
        #expect(devices.output.contains("served by a WebSocket"))
        let waiting = #"{"topic":"driver.locations.raw","partition":0,"state":"waiting","unacknowledged_seconds":"#
        try await eventually("/readyz reports the partition: \(gateway.readiness)") {
            gateway.readiness.contains(waiting)
        }
        #expect(gateway.isReady, "\(gateway.readiness)")
        #expect(gateway.output.contains("A partition cannot be written"))
        cluster.bringUp(broker: 3)
        try await waitUntilPartitionIsAvailable()
    }

    @Test("A message that is posted repeatedly while its partition is unavailable is written once")
    func writesRetriedMessagesOnce() async throws {
        defer { gateway.end() }
        let driver = try #require(Self.drivers(of: 0, 1).first)
        let token = try GatewayTokens.token(driver: driver)
        func post() throws -> String { try gateway.postLocation(driver, token: token) }
        #expect(try post().contains("200 None None"))
        #expect(try recordCount() == 1)
        cluster.takeDown(broker: 3)
        for _ in 0..<3 { #expect(try post().contains("503 2 TRY_AGAIN")) }
        cluster.bringUp(broker: 3)
        try await waitUntilPartitionIsAvailable()
        try await eventually("the record is written") { try recordCount() == 2 }
        // This message is written after any record that the earlier posts left in the producer's queue.
        #expect(try post().contains("200 None None"))
        #expect(try recordCount() == 3)
    }
}
