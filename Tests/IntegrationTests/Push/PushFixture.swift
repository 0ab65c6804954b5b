import Codec
import Foundation
import Kafka
import Redis
import Signatures
import Support
import TestSupport

@testable import Domain

/// Pipeline, keys and certificates for push-worker.
final class PushFixture {
    let stack: PipelineStack
    let certificates: TestCertificates
    let checks: MockPushChecks
    private var offset: Int64 = 0
    private static let partitions = 3

    init() async throws {
        stack = try await PipelineStack(partitions: Self.partitions)
        certificates = try await TestCertificates()
        let apple = try Self.makeKey(["EC", "-pkeyopt", "ec_paramgen_curve:P-256"], at: certificates.path("apple.p8"))
        let google = try Self.makeKey(["RSA"], at: certificates.path("google.key"))
        guard let apple = SignatureKey(p256PEM: apple), let google = SignatureKey(rsaPEM: google) else {
            throw Program.Failure(description: "The keys of openssl cannot be used.")
        }
        checks = MockPushChecks(apple: apple, google: google)
    }

    /// Creates a private key in a file and returns it in PEM.
    private static func makeKey(_ algorithm: [String], at path: String) throws -> String {
        guard let openssl = Checkout.tool("openssl") else {
            throw Program.Failure(description: "openssl is not installed.")
        }
        _ = try Checkout.run(openssl, ["genpkey", "-out", path, "-algorithm"] + algorithm)
        return try String(contentsOfFile: path, encoding: .utf8)
    }

    /// Returns the settings of a push-worker that sends to a mock push service.
    func settings(port: Int) throws -> [String: String] {
        let account = try JSONSerialization.data(withJSONObject: [
            "type": "service_account", "project_id": MockPushService.project, "client_email": MockPushService.email,
            "private_key_id": "K1", "token_uri": "https://127.0.0.1:\(port)/token",
            "private_key": String(contentsOfFile: certificates.path("google.key"), encoding: .utf8),
        ])
        try account.write(to: URL(filePath: certificates.path("account.json")))
        return [
            "SIGHTLINE_APNS_URL": "https://127.0.0.1:\(port)", "SIGHTLINE_FCM_URL": "https://127.0.0.1:\(port)",
            "SIGHTLINE_PUSH_CA_FILE": certificates.authority, "SIGHTLINE_APNS_TOPIC": MockPushService.topic,
            "SIGHTLINE_APNS_KEY_FILE": certificates.path("apple.p8"), "SIGHTLINE_APNS_KEY_ID": MockPushService.keyID,
            "SIGHTLINE_APNS_TEAM_ID": MockPushService.teamID,
            "SIGHTLINE_FCM_CREDENTIALS_FILE": certificates.path("account.json"),
        ]
    }

    /// Writes updates of a trip, with record timestamps `age` seconds ago.
    func write(_ updates: [RiderUpdate], trip: String, age: Double = 0) throws {
        let producer = try KafkaProducer(stack.kafka) { _ in }
        let topic = try producer.topic("\(stack.name).rider.updates")
        let at = Timestamp(milliseconds: Int64((Date().timeIntervalSince1970 - age) * 1000))
        for update in updates {
            offset += 1
            var value = ByteWriter(capacity: 4096)
            ByteSlice.withBytes(of: "trip:\(trip)") { channel in
                RiderUpdateWriter.write(
                    event: EventID(partition: 0, offset: offset), channel: channel, update: update, into: &value)
                _ = producer.produce(
                    .init(key: channel, value: value.bytes, timestamp: at), to: topic, partition: 0, token: 0)
            }
        }
        guard try producer.flush(deadline: .now + .seconds(60), { _, _ in }) else {
            throw KafkaTestFailure("The updates were not acknowledged.")
        }
    }

    static func notification(
        _ kind: RiderUpdate.Notification.Kind, facts: String? = nil
    ) -> RiderUpdate {
        .notification(
            RiderUpdate.Notification(kind: kind, priority: .high, triggeredBy: "DRIVER", factsJSON: facts))
    }

    static func change(_ from: TripState?, _ to: TripState) -> RiderUpdate {
        .stateChanged(
            RiderUpdate.StateChange(previousState: from, state: to, changedAt: Timestamp(milliseconds: 1)))
    }

    /// Returns the sum of push-worker's stored offsets in all partitions.
    func progress() throws -> Int64 {
        let redis = try RedisConnection(try RedisFixture.address())
        return try (0..<Self.partitions).reduce(0) { sum, partition in
            let key = "\(stack.name):progress:push:rider.updates:\(partition)"
            let watermark = try redis.call("GET", key).text.flatMap { StoredWatermark($0) }
            return sum + (watermark?.next ?? 0)
        }
    }

    /// Returns the sum of a worker's counter over the series whose line contains `label`, or over all if it is empty.
    static func counter(_ name: String, _ label: String = "", of worker: PipelineStack.Worker) -> Double {
        let page = Loopback.get(port: UInt16(worker.port), path: "/metrics") ?? ""
        return page.split(separator: "\n").filter { $0.hasPrefix(name) && (label.isEmpty || $0.contains(label)) }
            .compactMap { $0.split(separator: " ").last.flatMap { Double($0) } }.reduce(0, +)
    }
}
