import Domain
import Foundation
import KafkaMock
import Recordings
import Runtime
import SightlineCLI
import Simulation
import Support

/// From the append of a raw record to the rider's update made of it, with all workers running.
struct LatencyBench {
    let plan: BenchPlan
    let folder: String
    let progress: (String) -> Void

    private static let workers = [
        "location-worker", "eta-worker", "broadcast-worker", "position-worker", "history-worker",
    ]

    /// How long a raw record may wait for company before it is sent, in milliseconds; that counts as latency here.
    private static let senderLingerMilliseconds = 5

    /// Topics on the way, by what could be read there; of the raw records themselves it is one hop over the broker.
    private static let stations: [(String, PipelineTopic)] = [
        ("raw", .rawLocations), ("verdict", .locations), ("eta", .tripEtas),
    ]

    func run() throws -> [BenchResult] {
        try plan.rates.map { rate in
            progress("latency at \(rate) updates per second")
            let mock = plan.mockBroker ? try MockCluster() : nil
            return try measure(PipelineAccess(bootstrapServers: mock?.bootstrapServers), mock, rate: rate)
        }
    }

    private func measure(_ access: PipelineAccess, _ mock: MockCluster?, rate: Int) throws -> BenchResult {
        try BenchStage.with(access, plan: plan, name: "latency", folder: folder, mock: mock) { stage in
            let database = try BenchDatabase(access.settings)
            defer { try? database.drop() }
            stage.use(database: database.url)
            let workers = try Self.workers.map {
                try stage.worker($0, ["KAFKA_FETCH_WAIT_MAX_MS": stage.fetchWaitMilliseconds])
            }
            try waitUntilReady(workers)
            var kafka = access.kafka
            kafka.properties[BenchStage.fetchWaitProperty] = stage.fetchWaitMilliseconds
            let follower = LatencyFollower(kafka, stage: stage)
            follower.start()
            defer { follower.stop() }
            try drive(access, stage, rate: rate, follower: follower)
            Thread.sleep(forTimeInterval: 1)
            for worker in workers { worker.stop() }
            try follower.checkFailure()
            return result(rate, follower)
        }
    }

    private func waitUntilReady(_ workers: [MeasuredWorker]) throws {
        let deadline = ContinuousClock.now + .seconds(60)
        for worker in workers {
            while case let held = try worker.sample()?.metrics.sum("sightline_partitions_assigned") ?? 0,
                held < Double(plan.partitions)
            {
                guard ContinuousClock.now < deadline else { throw InputError("\(worker.name) holds no partitions.") }
                Thread.sleep(forTimeInterval: 0.1)
            }
        }
    }

    /// One fix a second of as many drivers as updates are wanted; what comes in the first seconds is not counted.
    private func drive(_ access: PipelineAccess, _ stage: BenchStage, rate: Int, follower: LatencyFollower) throws {
        let sender = try RecordSender(
            access, topicPrefix: stage.prefix, lingerMilliseconds: Self.senderLingerMilliseconds)
        let start = Timestamp(milliseconds: WallClock.milliseconds() + 200)
        var fleet = LoadFleet(drivers: rate, start: start)
        for driver in 0..<rate { try stage.send(fleet.trip(of: driver), at: start, with: sender) }
        let keys = (0..<rate).map(fleet.driverID)
        let warmUp = 4.0
        let total = Int((warmUp + plan.latencySeconds) * Double(rate))
        follower.countFrom(start.advanced(bySeconds: warmUp))
        for _ in 0..<total {
            try stage.stop.check()
            let record = fleet.next()
            while case let wait = record.at.milliseconds - WallClock.milliseconds(), wait > 0 {
                try sender.poll(waitMilliseconds: min(Int(wait), 5))
            }
            let now = Timestamp(milliseconds: WallClock.milliseconds())
            try sender.sendRaw(key: keys[record.driver], value: record.value, timestamp: now)
        }
        try sender.finish(within: 30)
    }

    private func result(_ rate: Int, _ follower: LatencyFollower) -> BenchResult {
        let updates = follower.times(of: .riderUpdates)
        var result = BenchResult("latency_\(rate)")
        result.broker = plan.mockBroker ? "librdkafka mock" : nil
        result.values["updates_measured"] = Double(updates.count)
        for (name, share) in [("p50_ms", 0.5), ("p99_ms", 0.99), ("p999_ms", 0.999), ("maximum_ms", 1)] {
            result.values[name] = updates.percentile(share).map(Double.init)
        }
        for (name, topic) in Self.stations {
            let times = follower.times(of: topic)
            result.values["until_\(name)_p50_ms"] = times.percentile(0.5).map(Double.init)
            result.values["until_\(name)_p99_ms"] = times.percentile(0.99).map(Double.init)
        }
        if rate == 2000 {
            result.target = "p50 at most 15 ms, p99 at most 60 ms"
            result.isReached = (updates.percentile(0.5) ?? .max) <= 15 && (updates.percentile(0.99) ?? .max) <= 60
        }
        return result
    }
}
