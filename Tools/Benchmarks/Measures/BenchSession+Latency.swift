import Domain
import Foundation
import Kafka
import KafkaMock
import Recordings
import Runtime
import SightlineCLI
import Simulation
import Support

/// Latency from the sending of a raw record to the rider update, with all workers running.
extension BenchSession {
    private static let workers = [
        "location-worker", "eta-worker", "broadcast-worker", "position-worker", "history-worker",
    ]

    /// Linger of the sender, which is part of the latency.
    private static let senderLingerMilliseconds = 5

    func latency() -> [BenchResult] {
        let failures = makeFailures()
        var results: [BenchResult] = []
        for rate in plan.rates {
            progress("latency at \(rate) updates per second")
            failures.measure(Self.latencyName(rate)) {
                let mock = plan.mockBroker ? try MockCluster() : nil
                let access = try PipelineAccess(bootstrapServers: mock?.bootstrapServers)
                results.append(try latency(access, mock, rate: rate))
            }
        }
        return failures.applied(to: results)
    }

    private static func latencyName(_ rate: Int) -> String { "latency_\(rate)" }

    private func latency(_ access: PipelineAccess, _ mock: MockCluster?, rate: Int) throws -> BenchResult {
        try Testbed.with(access, plan: plan, name: "latency", folder: folder, mock: mock) { testbed in
            let database = try BenchDatabase(access.settings)
            defer { try? database.drop() }
            testbed.environment["POSTGRES_URL"] = database.url
            let workers = try Self.workers.map {
                try testbed.worker($0, ["KAFKA_FETCH_WAIT_MAX_MS": testbed.fetchWaitMilliseconds])
            }
            let deadline = ContinuousClock.now + .seconds(60)
            for worker in workers { try worker.waitForPartitions(plan.partitions, deadline: deadline) }
            let follower = testbed.follow(LatencyState.topics, from: .beginning, into: LatencyState()) {
                { message, seenAt, state in state.record(message, seenAt: seenAt) }
            }
            defer { follower.stop() }
            try send(access, testbed, rate: rate, follower: follower)
            Thread.sleep(forTimeInterval: 1)
            for worker in workers { worker.stop() }
            try follower.checkFailure()
            return result(rate, follower.withState { $0 })
        }
    }

    /// Sends one fix per second of each of `rate` drivers; the first 4 s are not measured.
    private func send(
        _ access: PipelineAccess, _ testbed: Testbed, rate: Int, follower: TopicFollower<LatencyState>
    ) throws {
        let sender = try RecordSender(
            access, topicPrefix: testbed.prefix, lingerMilliseconds: Self.senderLingerMilliseconds)
        let start = Timestamp(milliseconds: WallClock.milliseconds() + 200)
        var fleet = LoadFleet(drivers: rate, start: start)
        for driver in 0..<rate { try testbed.send(fleet.trip(of: driver), at: start, with: sender) }
        let keys = (0..<rate).map(fleet.driverID)
        let warmUp = 4.0
        let total = Int((warmUp + plan.latencySeconds) * Double(rate))
        follower.withState { $0.measureFrom(start.advanced(bySeconds: warmUp)) }
        for _ in 0..<total {
            try testbed.stop.check()
            let record = fleet.next()
            while case let wait = record.at.milliseconds - WallClock.milliseconds(), wait > 0 {
                try sender.poll(waitMilliseconds: min(Int(wait), 5))
            }
            let now = Timestamp(milliseconds: WallClock.milliseconds())
            try sender.sendRaw(key: keys[record.driver], value: record.value, timestamp: now)
        }
        try sender.finish(within: 30)
    }

    private func result(_ rate: Int, _ state: LatencyState) -> BenchResult {
        let updates = state.times.last ?? LatencyHistogram()
        var result = BenchResult(Self.latencyName(rate))
        result.broker = plan.brokerName
        for (name, share) in [("p50_ms", 0.5), ("p99_ms", 0.99), ("p999_ms", 0.999)] {
            result.values[name] = updates.percentile(share).map(Double.init)
        }
        // The time until the raw record is read shows the latency of the broker alone.
        for (name, times) in zip(["raw", "verdict", "eta"], state.times) {
            result.values["until_\(name)_p50_ms"] = times.percentile(0.5).map(Double.init)
        }
        if rate == 2000 {
            result.target = "p50 at most 15 ms, p99 at most 60 ms"
            result.isReached = (updates.percentile(0.5) ?? .max) <= 15 && (updates.percentile(0.99) ?? .max) <= 60
        }
        return result
    }
}

/// Times from the sending of raw records until they and their derived records are read.
private struct LatencyState: Sendable {
    static let topics: [PipelineTopic] = [.rawLocations, .locations, .tripEtas, .riderUpdates]

    /// Meters in the order of ``topics``; the first meter measures the raw records themselves.
    private var meters = topics.map { _ in LatencyMeter(countedFrom: Timestamp(milliseconds: .max)) }

    /// Records a message, whose input is its topic's index in ``topics``.
    mutating func record(_ message: KafkaMessage, seenAt: Timestamp) {
        guard message.input == 0 else {
            if let event = message.record.event { meters[message.input].recordOutput(event, seenAt: seenAt) }
            return
        }
        let (partition, offset) = (message.partition, message.offset)
        for index in meters.indices {
            meters[index].recordSource(partition: partition, offset: offset, sentAt: message.timestamp)
        }
        meters[0].recordOutput(EventID(partition: partition, offset: offset), seenAt: seenAt)
    }

    /// Latencies in the order of ``topics``.
    var times: [LatencyHistogram] { meters.map(\.times) }

    /// Restricts the measurement to raw records that are sent at or after `time`.
    mutating func measureFrom(_ time: Timestamp) {
        for index in meters.indices { meters[index].countedFrom = time }
    }
}
