import Codec
import Domain
import Foundation
import Kafka
import KafkaMock
import Runtime
import SightlineCLI
import Simulation
import Support

/// A set of topics of its own, filled with a backlog, and what is needed to run workers on it.
final class BenchStage {
    let access: PipelineAccess
    let plan: BenchPlan
    let stop: StopSignal
    /// Comes before every topic, group and key of this stage.
    let prefix: String
    let folder: String
    private let admin: KafkaAdmin
    /// The cluster itself where it is no broker: it knows no requests for topics.
    private let mock: MockCluster?
    private var workers: [MeasuredWorker] = []
    /// How long a fetch waits for records, in milliseconds, by the client library's name.
    ///
    /// A broker that answers when records come makes this moot. The mock cluster does not look again before the wait is
    /// over, and the local broker bears fewer fetches.
    static let fetchWaitProperty = "fetch.wait.max.ms"
    /// Values for workers that differ from this program's own.
    private(set) var environment: [String: String]

    /// Makes a stage for `body` and puts it away again, whatever becomes of that.
    static func with<Result>(
        _ access: PipelineAccess, plan: BenchPlan, name: String, folder: String, mock: MockCluster? = nil,
        _ body: (BenchStage) throws -> Result
    ) throws -> Result {
        let stage = try BenchStage(access, plan: plan, name: name, folder: folder, mock: mock)
        let outcome = Swift.Result { try body(stage) }
        // No client may use topics while they are deleted: the client library fails then.
        for worker in stage.workers { worker.stop() }
        try stage.remove()
        return try outcome.get()
    }

    private init(
        _ access: PipelineAccess, plan: BenchPlan, name: String, folder: String, mock: MockCluster?
    ) throws {
        self.access = access
        self.plan = plan
        stop = StopSignal()
        self.folder = folder
        self.mock = mock
        let tag = String(WallClock.milliseconds(), radix: 36)
        prefix = "\(access.settings.kafka.topicPrefix)bench-\(name)-\(tag)."
        environment = [
            "KAFKA_BOOTSTRAP_SERVERS": access.kafka.bootstrapServers, "SIGHTLINE_TOPIC_PREFIX": prefix,
            "SIGHTLINE_REDIS_PREFIX": prefix,
        ]
        admin = try KafkaAdmin(access.kafka, log: PipelineAccess.log)
        let topics = PipelineTopic.allCases.map(topic) + [scratch]
        if let mock {
            for topic in topics { mock.createTopic(topic, partitions: plan.partitions) }
        } else {
            _ = try admin.create(topics.map { KafkaAdmin.NewTopic(name: $0, partitions: plan.partitions) })
        }
    }

    /// Where the pass-through writes to.
    var scratch: String { prefix + "passthrough" }

    /// Where latencies are measured, unless the settings say another.
    var fetchWaitMilliseconds: String { access.kafka.properties[Self.fetchWaitProperty] ?? (mock == nil ? "20" : "5") }

    func topic(_ topic: PipelineTopic) -> String { prefix + topic.rawValue }

    func partitions(of topic: String) -> [TopicPartition] {
        (0..<Int32(plan.partitions)).map { TopicPartition(topic: topic, partition: $0) }
    }

    /// Has workers write to another database.
    func use(database url: String) { environment["POSTGRES_URL"] = url }

    /// Starts a worker, which ends with the stage at the latest.
    func worker(_ name: String, _ extra: [String: String] = [:], core: Int? = nil) throws -> MeasuredWorker {
        let worker = try MeasuredWorker(
            name, environment: environment.merging(extra) { _, new in new }, core: core, folder: folder, stop: stop)
        workers.append(worker)
        return worker
    }

    /// How fast a worker gets through the backlog, by how many records of `topic` (or of all topics) it has counted.
    func throughput(
        of name: String, _ extra: [String: String] = [:], counter: String = "sightline_records_in_total",
        topic: PipelineTopic? = nil, allocationFile: String? = nil
    ) throws -> Throughput {
        let worker = try worker(name, extra)
        defer { worker.stop() }
        return try Throughput.watch(
            [worker], counter: counter, labels: topic.map { ["topic": $0.rawValue] } ?? [:], count: plan.records,
            allocationFile: allocationFile)
    }

    /// Writes `records` raw records of `drivers`, received at their device times, which end now; and their trips.
    func fill(records: Int, drivers: Int, withTrips: Bool) throws {
        let seconds = Double(records) / Double(drivers)
        let start = Timestamp(milliseconds: WallClock.milliseconds()).advanced(bySeconds: -seconds)
        var fleet = LoadFleet(drivers: drivers, start: start)
        // A backlog lies in large batches, however slowly it is made: the local broker slows down with their number.
        let sender = try RecordSender(access, topicPrefix: prefix, lingerMilliseconds: 100)
        if withTrips {
            for driver in 0..<drivers { try send(fleet.trip(of: driver), at: start, with: sender) }
        }
        let keys = (0..<drivers).map(fleet.driverID)
        for index in 0..<records {
            let record = fleet.next()
            try sender.sendRaw(key: keys[record.driver], value: record.value, timestamp: record.at)
            guard index % 1024 == 0 else { continue }
            try stop.check()
            try sender.poll()
        }
        try sender.finish(within: 120)
    }

    /// Forgets the topics; a local broker keeps them in memory.
    private func remove() throws {
        guard mock == nil else { return }
        _ = try admin.delete(PipelineTopic.allCases.map(topic) + [scratch])
    }

    /// The copied records per second, and the processor time of each, in µs: consumer and producer together.
    func passthrough() throws -> (ratePerSecond: Double, cpuMicrosecondsPerRecord: Double) {
        let copying = KafkaPassthrough(access.kafka, settings: producerSettings, log: PipelineAccess.log)
        var began = ContinuousClock.now
        var cpu = CurrentProcess.cpuSeconds
        let copied = try copying.copy(plan.records, of: partitions(of: topic(.rawLocations)), to: scratch) {
            began = .now
            cpu = CurrentProcess.cpuSeconds
        }
        let seconds = began.duration(to: .now) / .seconds(1)
        return (Double(copied) / seconds, (CurrentProcess.cpuSeconds - cpu) * 1e6 / Double(copied))
    }

    private var producerSettings: KafkaProducerSettings {
        var settings = KafkaProducerSettings()
        settings.lingerMilliseconds = access.settings.kafka.lingerMilliseconds
        // What measures the ceiling must not wait: there is room for half of a backlog at once.
        settings.maximumQueuedRecords = 500_000
        settings.maximumQueuedKibibytes = 1 << 19
        return settings
    }

    func send(_ trip: TripMessage, at time: Timestamp, with sender: RecordSender) throws {
        var writer = ByteWriter(capacity: 4096)
        TripWriter.write(trip, into: &writer)
        try sender.sendTrip(key: trip.driverID, value: Array(writer.bytes.buffer), timestamp: time)
    }
}
