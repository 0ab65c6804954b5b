import Domain
import Kafka
import Simulation
import Support

/// Drivers whose records arrive in the simulated log.
final class SimulatedFleet {
    private let world: World
    private var fleet: FleetSimulation
    private let partitions: Int32
    private(set) var recordCount = 0
    private var isStopped = false

    /// Creates a fleet that starts to send at once.
    init(drivers: Int, seed: UInt64, partitions: Int, _ world: World) {
        self.world = world
        self.partitions = Int32(partitions)
        var configuration = FleetConfiguration(
            drivers: drivers, seed: seed, start: Timestamp(milliseconds: world.wallMilliseconds + 1000))
        configuration.warmUpSeconds = 60
        configuration.rideMeters = 700
        configuration.cheaterShare = 0.2
        configuration.transitShare = 0.2
        fleet = FleetSimulation(configuration: configuration)
    }

    func start() {
        world.schedule(after: .milliseconds(100)) { [self] in
            guard !isStopped else { return }
            fleet.advance(to: Timestamp(milliseconds: world.wallMilliseconds)) { append($0) }
            start()
        }
    }

    func stop() { isStopped = true }

    private func append(_ event: SimulatedEvent) {
        switch event {
        case .rawRecord(let record):
            append(.rawLocations, record.key, record.value, record.sentAt)
            if world.random.chance(0.03) { appendUnreadable(record.key, at: record.sentAt) }
        case .tripMessage(let record): append(.trips, record.key, record.value, record.sentAt)
        }
    }

    /// Appends a record that location-worker cannot read, or a batch in which it can read only one fix.
    private func appendUnreadable(_ key: String, at time: Timestamp) {
        let good = "{\"lat\":48.1,\"lon\":11.5,\"timestamp\":\(time.milliseconds)}"
        let texts = ["{", "{\"lat\":\"x\"}", "{\"fixes\":[\(good),{\"lat\":1}]}", "{\"fixes\":[{},\(good),\(good)]}"]
        append(.rawLocations, key, Array(texts[world.random.index(below: texts.count)].utf8), time)
    }

    /// Appends a record, as a producer with Kafka's default partitioner does.
    func append(_ topic: PipelineTopic, _ key: String, _ value: [UInt8]?, _ time: Timestamp) {
        recordCount += 1
        Array(key.utf8).withUnsafeBytes { key in
            let number = murmur2Partition(key: ByteSlice(key), count: partitions)
            let partition = world.log.partition(TopicPartition(topic: topic.rawValue, partition: number))
            (value ?? []).withUnsafeBytes { bytes in
                partition?.append(
                    LogRecord(
                        key: ByteSlice(key), value: value == nil ? nil : ByteSlice(bytes),
                        timestamp: time.milliseconds))
            }
        }
    }
}
