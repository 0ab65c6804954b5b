import Kafka
import Logging
import Runtime

/// Takes the producer's delivery reports and hands them to the event loops, those of one poll together.
///
/// For a thread of its own, which makes the producer.
struct DeliveryLoop {
    private static let pollWaitMilliseconds = 20
    /// How long records are waited for when the gateway stops; its clients have left by then.
    private static let flushTime = Duration.seconds(5)
    private static let failureLogInterval = Duration.seconds(10)
    private static let lookInterval = Duration.seconds(1)
    /// After which a partition is shown that acknowledges nothing, as stages have it.
    private static let partitionPatience = Duration.seconds(5)

    private let frame: WorkerContext
    private let hubs: [DriverConnectionRegistry]
    private let producer: DriverProducer
    private let metrics: DriverMetrics
    private var watch: BrokerHealthMonitor
    private var outgoing: [[DriverDelivery]]
    private var loggedFailureAt: ContinuousClock.Instant?
    private var nextLook = ContinuousClock.now
    /// Those that acknowledged nothing at the last look.
    private var waiting: Set<TopicPartition> = []

    /// `partitions`: of each topic.
    init(frame: WorkerContext, hubs: [DriverConnectionRegistry], partitions: Int, metrics: DriverMetrics)
        throws(WorkerError)
    {
        self.frame = frame
        self.hubs = hubs
        self.metrics = metrics
        do { producer = try DriverProducer(frame, partitions: partitions) } catch { throw WorkerError(error) }
        watch = BrokerHealthMonitor(logger: frame.logger)
        outgoing = Array(repeating: [], count: hubs.count)
        for hub in hubs { hub.loop.execute { [producer] in hub.begin(with: producer, partitions: partitions) } }
    }

    /// Hands reports out until told to stop, and then until all records are acknowledged, for five seconds at most.
    mutating func run() throws {
        frame.status.setReady()
        while frame.control.isRunning {
            try turn()
            try look()
            frame.status.beat()
        }
        let end = ContinuousClock.now + Self.flushTime
        while producer.base.outstanding > 0, ContinuousClock.now < end {
            producer.base.hurry()
            try turn()
        }
    }

    private mutating func turn() throws {
        do {
            try producer.base.poll(waitMilliseconds: Self.pollWaitMilliseconds) { ticket, error in
                outgoing[DriverDeliveryToken.loop(of: ticket)].append(
                    DriverDelivery(place: DriverDeliveryToken.place(of: ticket), error: error))
                if let error { note(error) }
            }
        } catch { throw WorkerError(error) }
        metrics.unacknowledged.set(producer.base.outstanding)
        for loop in hubs.indices where !outgoing[loop].isEmpty {
            let (hub, deliveries) = (hubs[loop], outgoing[loop])
            outgoing[loop].removeAll(keepingCapacity: true)
            hub.loop.execute { hub.deliver(deliveries) }
        }
    }

    /// Tells `/readyz` whether a broker answers.
    private mutating func look() throws {
        lookAtPartitions()
        let isCutChanged = watch.look(at: producer.base)
        guard try watch.note(producer.base.refusal) || isCutChanged else { return }
        if let trouble = watch.trouble { frame.status.setNotReady(trouble) } else { frame.status.setReady() }
    }

    /// Shows the partitions that acknowledge nothing at `/readyz`.
    ///
    /// The gateway stays ready: the drivers of all other partitions are served, and another gateway could not write these
    /// either.
    private mutating func lookAtPartitions() {
        guard ContinuousClock.now >= nextLook else { return }
        nextLook = .now + Self.lookInterval
        let found = producer.shares.waiting(at: ClientSession.now, for: Self.partitionPatience)
        guard !found.isEmpty || !waiting.isEmpty else { return }
        frame.status.setPartitions(found)
        let now = Set(found.map { TopicPartition(topic: $0.topic, partition: $0.partition) })
        for partition in now.subtracting(waiting).sorted(by: { "\($0)" < "\($1)" }) {
            frame.logger.error(
                "A partition cannot be written; its drivers wait, and all others are served.",
                metadata: .of([.topic: "\(partition.topic)", .partition: "\(partition.partition)"]))
        }
        for partition in waiting.subtracting(now).sorted(by: { "\($0)" < "\($1)" }) {
            frame.logger.notice(
                "A partition can be written again.",
                metadata: .of([.topic: "\(partition.topic)", .partition: "\(partition.partition)"]))
        }
        waiting = now
    }

    private mutating func note(_ error: KafkaError) {
        if let last = loggedFailureAt, last.duration(to: .now) < Self.failureLogInterval { return }
        loggedFailureAt = .now
        frame.logger.error(
            "Records of devices cannot be written; the devices are told to send them again.",
            metadata: .of([.error: "\(error)"]))
    }
}
