import ChildProcesses
import Foundation
import Kafka
import KafkaMock
import Support
import TestSupport
import Testing

/// Against a cluster in this process, one broker of which leads a partition alone and goes away.
@Suite(
    "A driver-gateway of which one partition cannot be written", .blocking, .serialized, .timeLimit(.minutes(5)))
struct StuckPartitionTests {
    private static let partitions = 3
    private let cluster: MockCluster
    private let gateway: Program
    private let address: String
    private let endpoint: UInt16

    init() async throws {
        cluster = try MockCluster(brokers: 3)
        for topic in ["driver.locations.raw", "driver.warnings", "trips"] {
            cluster.createTopic(topic, partitions: Self.partitions)
            for partition in 0..<Self.partitions { cluster.setLeader(of: topic, partition: partition, broker: 1) }
        }
        cluster.setLeader(of: "driver.locations.raw", partition: 0, broker: 3)
        let port = try FreePort.take()
        address = "127.0.0.1:\(port)"
        endpoint = try FreePort.take()
        gateway = try Program(
            "driver-gateway",
            environment: [
                "KAFKA_BOOTSTRAP_SERVERS": cluster.bootstrapServers, "SIGHTLINE_TOPIC_PREFIX": "",
                "SIGHTLINE_DRIVER_PORT": String(port), "SIGHTLINE_HTTP_PORT": String(endpoint),
                "SIGHTLINE_TOKEN_SECRET": GatewayTokens.secret, "KAFKA_SECURITY_PROTOCOL": "PLAINTEXT",
                "SIGHTLINE_DRIVER_RATE": "1000",
            ])
        try await eventually("the gateway is ready: \(gateway.output)") { ready.hasPrefix("{\"ready\":true") }
    }

    private var ready: String { Loopback.get(port: endpoint, path: "/readyz") ?? "" }

    /// The first `count` drivers of a partition.
    private static func drivers(of partition: Int32, _ count: Int) -> [String] {
        let all = (0..<1000).map { "drv\($0)" }
        let found = all.filter { driver in
            ByteSlice.withBytes(of: driver) { murmur2Partition(key: $0, count: Int32(partitions)) } == partition
        }
        return Array(found.prefix(count))
    }

    private func post(_ driver: String, _ token: String) throws -> String {
        try WebScript.run("driver_post.py", [address, driver, token]).output
    }

    /// The records of the partition, once as many are there as are acknowledged.
    private func recordCount() throws -> Int64 {
        let admin = try KafkaAdmin(cluster.configuration) { _ in }
        return try admin.offsetRange(of: TopicPartition(topic: "driver.locations.raw", partition: 0)).high
    }

    @Test("serves the drivers of all other partitions, and says at /readyz which one it is")
    func othersAreServed() async throws {
        defer { gateway.discard() }
        cluster.takeDown(broker: 3)
        let (stuck, served) = (Self.drivers(of: 0, 30), try #require(Self.drivers(of: 1, 1).first))
        var tokens: [String: String] = [:]
        for driver in stuck + [served] { tokens[driver] = try await GatewayTokens.token(driver: driver) }
        let devices = try WebScript.start(
            "driver_stuck.py",
            [address, stuck.joined(separator: ","), try GatewayTokens.json(tokens), served],
            logs: FileManager.default.temporaryDirectory)
        defer { devices.discard() }
        try await eventually("the devices are done: \(devices.output)") {
            try #require(devices.isRunning, "\(devices.output)")
            return devices.output.contains("done")
        }
        #expect(devices.output.matches(of: /served 200 None/).count == 5, "\(devices.output)")
        #expect(devices.output.contains("served by a WebSocket"))
        let named = #"{"topic":"driver.locations.raw","partition":0,"state":"waiting","unacknowledged_seconds":"#
        try await eventually("the partition is named: \(ready)") { ready.contains(named) }
        #expect(ready.hasPrefix("{\"ready\":true"), "\(ready)")
        #expect(gateway.output.contains("A partition cannot be written"))
        cluster.bringUp(broker: 3)
        try await eventually("the partition is written: \(ready)") {
            ready.hasPrefix(#"{"ready":true,"partitions":[]}"#)
        }
    }

    @Test("writes a message once that is posted again and again while it waits")
    func retries() async throws {
        defer { gateway.discard() }
        let driver = try #require(Self.drivers(of: 0, 1).first)
        let token = try await GatewayTokens.token(driver: driver)
        #expect(try post(driver, token).contains("200 None None"))
        #expect(try recordCount() == 1)
        cluster.takeDown(broker: 3)
        for _ in 0..<3 { #expect(try post(driver, token).contains("503 2 TRY_AGAIN")) }
        cluster.bringUp(broker: 3)
        try await eventually("the partition is written: \(ready)") {
            ready.hasPrefix(#"{"ready":true,"partitions":[]}"#)
        }
        try await eventually("the record is there") { try recordCount() == 2 }
        // Another message comes behind whatever the posts before have queued.
        let other = try await GatewayTokens.token(driver: driver)
        #expect(try post(driver, other).contains("200 None None"))
        #expect(try recordCount() == 3)
    }
}
