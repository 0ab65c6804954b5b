import Kafka
import Logging
import Runtime

/// Loop that polls the producer and passes its delivery reports to the event loops.
///
/// Runs on a dedicated thread, which also creates the producer.
struct DeliveryLoop {
    private static let pollWaitMilliseconds = 20
    /// Time limit for unacknowledged records on shutdown; starts after the clients are disconnected.
    private static let flushTimeout = Duration.seconds(5)
    private static let failureLogInterval = Duration.seconds(10)
    private static let partitionCheckInterval = Duration.seconds(1)
    /// Time without delivery reports after which `/readyz` lists a partition; equals the default of processors.
    private static let stalledAfter = Duration.seconds(5)

    private let context: WorkerContext
    private let registries: [DriverConnectionRegistry]
    private let producer: DriverProducer
    private let metrics: DriverMetrics
    private var brokerMonitor: BrokerHealthMonitor
    private var reportsByLoop: [[DriverDelivery]]
    private var loggedFailureAt: ContinuousClock.Instant?
    private var nextPartitionCheck = ContinuousClock.now
    private var stalled: Set<TopicPartition> = []

    /// Creates the producer and passes it to `registries`; `partitions` is the number of partitions of each topic.
    init(context: WorkerContext, registries: [DriverConnectionRegistry], partitions: Int, metrics: DriverMetrics)
        throws(KafkaError)
    {
        self.context = context
        self.registries = registries
        self.metrics = metrics
        producer = try DriverProducer(context, partitions: partitions)
        brokerMonitor = BrokerHealthMonitor(logger: context.logger)
        reportsByLoop = Array(repeating: [], count: registries.count)
        for registry in registries {
            registry.loop.execute { [producer] in registry.begin(with: producer, partitions: partitions) }
        }
    }

    /// Forwards delivery reports until shutdown, and then those of outstanding records for up to 5 s.
    mutating func run() throws {
        context.status.setReady()
        while context.control.isRunning {
            try poll()
            try checkBroker()
            context.status.beat()
        }
        let end = ContinuousClock.now + Self.flushTimeout
        while producer.base.outstanding > 0, ContinuousClock.now < end {
            producer.base.requestFlush()
            try poll()
        }
    }

    private mutating func poll() throws {
        try producer.base.poll(waitMilliseconds: Self.pollWaitMilliseconds) { token, error in
            reportsByLoop[DriverDeliveryToken.loop(of: token)].append((DriverDeliveryToken.record(of: token), error))
            if let error { logFailure(error) }
        }
        metrics.unacknowledged.set(producer.base.outstanding)
        for loop in registries.indices where !reportsByLoop[loop].isEmpty {
            let (registry, deliveries) = (registries[loop], reportsByLoop[loop])
            reportsByLoop[loop].removeAll(keepingCapacity: true)
            registry.loop.execute { registry.deliver(deliveries) }
        }
    }

    private mutating func checkBroker() throws {
        checkPartitions()
        let isConnectionChanged = brokerMonitor.check(producer.base)
        guard try brokerMonitor.record(producer.base.authenticationFailure) || isConnectionChanged else { return }
        if let problem = brokerMonitor.problem {
            context.status.setNotReady(problem)
        } else {
            context.status.setReady()
        }
    }

    /// Reports stalled partitions to `/readyz`.
    ///
    /// The gateway stays ready: drivers of other partitions are served, and another gateway could not write these
    /// partitions either.
    private mutating func checkPartitions() {
        guard ContinuousClock.now >= nextPartitionCheck else { return }
        nextPartitionCheck = .now + Self.partitionCheckInterval
        let statuses = producer.shares.stalled(at: ClientSession.now, for: Self.stalledAfter)
        guard !statuses.isEmpty || !stalled.isEmpty else { return }
        context.status.setPartitions(statuses)
        let current = Set(statuses.map { TopicPartition(topic: $0.topic, partition: $0.partition) })
        log(.error, "A partition cannot be written; its drivers have to wait.", current.subtracting(stalled))
        log(.notice, "A partition can be written again.", stalled.subtracting(current))
        stalled = current
    }

    private func log(_ level: Logger.Level, _ message: Logger.Message, _ partitions: Set<TopicPartition>) {
        for partition in partitions.sorted(by: { "\($0)" < "\($1)" }) {
            context.logger.log(
                level: level, message,
                metadata: .of([.topic: "\(partition.topic)", .partition: "\(partition.partition)"]))
        }
    }

    private mutating func logFailure(_ error: KafkaError) {
        if let last = loggedFailureAt, last.duration(to: .now) < Self.failureLogInterval { return }
        loggedFailureAt = .now
        context.logger.error(
            "Records cannot be written; their senders must resend them.",
            metadata: .of([.error: "\(error)"]))
    }
}
