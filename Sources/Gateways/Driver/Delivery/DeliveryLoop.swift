import Kafka
import Logging
import Runtime

/// Polls the producer's delivery reports and passes those of one poll to the event loops.
///
/// Runs on a dedicated thread, which creates the producer.
struct DeliveryLoop {
    private static let pollWaitMilliseconds = 20
    /// Time limit for unacknowledged records on shutdown; the clients are disconnected by then.
    private static let flushTime = Duration.seconds(5)
    private static let failureLogInterval = Duration.seconds(10)
    private static let partitionCheckInterval = Duration.seconds(1)
    /// Time without acknowledgements after which `/readyz` lists a partition, as for the processors.
    private static let stalledAfter = Duration.seconds(5)

    private let context: WorkerContext
    private let registries: [DriverConnectionRegistry]
    private let producer: DriverProducer
    private let metrics: DriverMetrics
    private var brokerMonitor: BrokerHealthMonitor
    private var outgoing: [[DriverDelivery]]
    private var loggedFailureAt: ContinuousClock.Instant?
    private var nextPartitionCheck = ContinuousClock.now
    private var stalled: Set<TopicPartition> = []

    /// Creates the producer; `partitions` is the number of partitions of each topic.
    init(context: WorkerContext, registries: [DriverConnectionRegistry], partitions: Int, metrics: DriverMetrics)
        throws(KafkaError)
    {
        self.context = context
        self.registries = registries
        self.metrics = metrics
        producer = try DriverProducer(context, partitions: partitions)
        brokerMonitor = BrokerHealthMonitor(logger: context.logger)
        outgoing = Array(repeating: [], count: registries.count)
        for registry in registries {
            registry.loop.execute { [producer] in registry.begin(with: producer, partitions: partitions) }
        }
    }

    /// Passes reports on until shutdown, then until all records are acknowledged or five seconds have passed.
    mutating func run() throws {
        context.status.setReady()
        while context.control.isRunning {
            try poll()
            try checkBroker()
            context.status.beat()
        }
        let end = ContinuousClock.now + Self.flushTime
        while producer.base.outstanding > 0, ContinuousClock.now < end {
            producer.base.requestFlush()
            try poll()
        }
    }

    private mutating func poll() throws {
        try producer.base.poll(waitMilliseconds: Self.pollWaitMilliseconds) { token, error in
            outgoing[DriverDeliveryToken.loop(of: token)].append(
                DriverDelivery(slot: DriverDeliveryToken.slot(of: token), error: error))
            if let error { logFailure(error) }
        }
        metrics.unacknowledged.set(producer.base.outstanding)
        for loop in registries.indices where !outgoing[loop].isEmpty {
            let (registry, deliveries) = (registries[loop], outgoing[loop])
            outgoing[loop].removeAll(keepingCapacity: true)
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
        let found = producer.shares.stalled(at: ClientSession.now, for: Self.stalledAfter)
        guard !found.isEmpty || !stalled.isEmpty else { return }
        context.status.setPartitions(found)
        let now = Set(found.map { TopicPartition(topic: $0.topic, partition: $0.partition) })
        log(.error, "A partition cannot be written; its drivers have to wait.", now.subtracting(stalled))
        log(.notice, "A partition can be written again.", stalled.subtracting(now))
        stalled = now
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
            "Device records cannot be written; devices must resend them.",
            metadata: .of([.error: "\(error)"]))
    }
}
