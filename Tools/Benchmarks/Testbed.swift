import Codec
import Domain
import Foundation
import Kafka
import KafkaMock
import Recordings
import Runtime
import SightlineCLI
import Simulation
import Support

/// A separate set of topics with a backlog, and the workers that process it.
final class Testbed {
    let access: PipelineAccess
    let plan: BenchPlan
    let stop: StopSignal
    /// Prefix of the topics, groups and keys of this testbed.
    let prefix: String
    let folder: String
    private let admin: KafkaAdmin
    /// The mock cluster, which does not support requests to create topics; `nil` with a broker.
    private let mock: MockCluster?
    private var workers: [MeasuredWorker] = []
    /// Settings of the workers, which override the environment of this process.
    var environment: [String: String]

    /// Creates a testbed for `body` and removes it afterwards, also after an error.
    static func with<Result>(
        _ access: PipelineAccess, plan: BenchPlan, name: String, folder: String, mock: MockCluster? = nil,
        _ body: (Testbed) throws -> Result
    ) throws -> Result {
        let testbed = try Testbed(access, plan: plan, name: name, folder: folder, mock: mock)
        let outcome = Swift.Result { try body(testbed) }
        // The client library fails if topics are deleted while a client uses them.
        for worker in testbed.workers { worker.stop() }
        do { try testbed.remove() } catch {
            // The figures are valid without the removal.
            StandardError.write("The topics \(testbed.prefix)… were not deleted: \(error)\n")
        }
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
            do { try TopicWait().wait(for: topics, partitions: plan.partitions, with: admin) } catch {
                try? remove()
                throw error
            }
        }
    }

    /// Output topic of the pass-through and of the peers.
    var scratch: String { prefix + "passthrough" }

    private static let fetchWaitProperty = "fetch.wait.max.ms"

    /// Maximum wait of a fetch in latency measurements, in ms; the configured value, or else 5 or 20.
    ///
    /// The mock cluster needs a short wait, because it checks for new records only after the wait. More fetches would
    /// slow down the local broker.
    var fetchWaitMilliseconds: String { access.kafka.properties[Self.fetchWaitProperty] ?? (mock == nil ? "20" : "5") }

    /// Starts to read topics, with the client settings of latency measurements.
    func follow<State>(
        _ topics: [PipelineTopic], from position: KafkaPosition, into state: State,
        makeHandler: @escaping @Sendable () -> TopicFollower<State>.Handler
    ) -> TopicFollower<State> {
        var kafka = access.kafka
        kafka.properties[Self.fetchWaitProperty] = fetchWaitMilliseconds
        let names = topics.map(topic)
        let starts = Dictionary(uniqueKeysWithValues: names.flatMap(partitions).map { ($0, position) })
        let follower = TopicFollower(kafka, topics: names, from: starts, into: state, makeHandler: makeHandler)
        follower.start()
        return follower
    }

    func topic(_ topic: PipelineTopic) -> String { prefix + topic.rawValue }

    func partitions(of topic: String) -> [TopicPartition] {
        (0..<Int32(plan.partitions)).map { TopicPartition(topic: topic, partition: $0) }
    }

    /// Starts a worker, which the testbed stops at its end if it still runs.
    func worker(_ name: String, _ extra: [String: String] = [:], core: Int? = nil) throws -> MeasuredWorker {
        let worker = try MeasuredWorker(
            name, environment: environment.merging(extra) { _, new in new }, core: core, folder: folder, stop: stop)
        workers.append(worker)
        return worker
    }

    /// Measures how fast a worker processes the backlog of `topic`.
    ///
    /// - Throws: ``InputError`` if the topic has no records.
    func throughput(
        of name: String, _ extra: [String: String] = [:], topic: PipelineTopic, allocationFile: String? = nil
    ) throws -> Throughput {
        // Counted, because not every record of the input has an output: a fix before its driver's trip has no ETA.
        let count = try recordCount(of: topic)
        guard count > 0 else { throw InputError("\(topic.rawValue) has no records, so \(name) is not measured.") }
        let worker = try worker(name, extra)
        defer { worker.stop() }
        return try Throughput.measure(
            [worker], labels: ["topic": topic.rawValue], count: count, allocationFile: allocationFile)
    }

    /// Returns the number of records of a topic.
    func recordCount(of topic: PipelineTopic) throws -> Int {
        try recordCounts(of: topic).values.reduce(0, +)
    }

    /// Returns the number of records of each partition.
    ///
    /// Reads the ends, because the local broker answers queries with the first offset of the last batch.
    private func recordCounts(of topic: PipelineTopic) throws -> [TopicPartition: Int] {
        let names = partitions(of: self.topic(topic))
        let reader = try KafkaReader(access.kafka, log: PipelineAccess.log)
        defer { reader.close() }
        let starts = Dictionary(uniqueKeysWithValues: names.map { ($0, KafkaReader.Start.last(1)) })
        let ends = try reader.readToEnd(starts, progress: stop.check) { _, _, _ in }
        let ranges = try admin.offsetRanges(of: names)
        return ends.reduce(into: [:]) { counts, end in
            counts[end.key] = Int(end.value - (ranges[end.key]?.low ?? 0))
        }
    }

    /// Measures the bytes per record that the broker sends, which are those of the compressed batches.
    ///
    /// Reads only the largest partition, because all have the same kind of records.
    /// - Throws: ``InputError`` if the topic has no records.
    func brokerBytesPerRecord(of topic: PipelineTopic) throws -> Double {
        guard let (partition, _) = try recordCounts(of: topic).max(by: { $0.value < $1.value }) else {
            throw InputError("\(topic.rawValue) has no partitions.")
        }
        let outcome = try KafkaTransfer(access.kafka, log: PipelineAccess.log).read(partition)
        guard outcome.records > 0 else { throw InputError("\(topic.rawValue) has no records.") }
        return try ClientStatistics(json: outcome.statistics).receivedBytes / Double(outcome.records)
    }

    /// Writes raw records whose device times and timestamps end at the current time, and optionally trips.
    func fill(records: Int, drivers: Int, withTrips: Bool) throws {
        let seconds = Double(records) / Double(drivers)
        let start = Timestamp(milliseconds: WallClock.milliseconds()).advanced(bySeconds: -seconds)
        var fleet = LoadFleet(drivers: drivers, start: start)
        // A long linger makes large batches, because many small batches slow down the local broker.
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

    /// Deletes the topics, which a local broker keeps in memory.
    private func remove() throws {
        guard mock == nil else { return }
        _ = try admin.delete(PipelineTopic.allCases.map(topic) + [scratch])
    }

    /// Measures the pass-through: copies the backlog to another topic with the Kafka client only.
    func passthrough() throws -> (ratePerSecond: Double, cpuMicrosecondsPerRecord: Double) {
        var settings = KafkaProducerSettings()
        settings.lingerMilliseconds = access.settings.kafka.lingerMilliseconds
        // A large queue, so that the producer does not limit the pass-through.
        settings.maximumQueuedRecords = 500_000
        settings.maximumQueuedKibibytes = 1 << 19
        let copying = KafkaPassthrough(access.kafka, settings: settings, log: PipelineAccess.log)
        let process = ProcessMetrics()
        var began = ContinuousClock.now
        var cpu = process.processorSeconds ?? 0
        let copied = try copying.copy(plan.records, of: partitions(of: topic(.rawLocations)), to: scratch) {
            began = .now
            cpu = process.processorSeconds ?? 0
        }
        let seconds = began.duration(to: .now) / .seconds(1)
        return (Double(copied) / seconds, ((process.processorSeconds ?? 0) - cpu) * 1e6 / Double(copied))
    }

    func send(_ trip: TripMessage, at time: Timestamp, with sender: RecordSender) throws {
        var writer = ByteWriter(capacity: 4096)
        TripWriter.write(trip, into: &writer)
        try sender.sendTrip(key: trip.driverID, value: Array(writer.bytes.buffer), timestamp: time)
    }
}
