import Kafka
import Logging
import Support

/// Detector of records whose key belongs to another partition, because a producer uses another partitioner.
///
/// A driver with records in two partitions is evaluated separately in each, and a trip in another partition than its
/// driver's fixes gets no arrival times. In each poll, the first record of each run of records of one
/// topic and partition is checked, which is cheap and still finds a single trip among many locations.
struct PartitionerMismatchDetector {
    /// Minimum time between log lines about one topic.
    static let logInterval = Duration.seconds(60)

    private let partitions: Int32
    /// Earliest times of the next log line, by input.
    private var nextLog: [ContinuousClock.Instant?]

    /// Creates a detector; `partitions` is the number of partitions of each topic.
    init(partitions: Int, inputs: Int) {
        self.partitions = Int32(partitions)
        nextLog = Array(repeating: nil, count: inputs)
    }

    /// Returns the partition of a key; `nil` if it is `partition` or the key is empty.
    func expectedPartition(of key: ByteSlice, in partition: Int32) -> Int32? {
        guard !key.isEmpty else { return nil }
        let expected = murmur2Partition(key: key, count: partitions)
        return expected == partition ? nil : expected
    }

    /// Returns whether to log a record in the wrong partition now; if so, starts the interval again.
    mutating func isDue(input: Int, at now: ContinuousClock.Instant) -> Bool {
        if let next = nextLog[input], now < next { return false }
        nextLog[input] = now + Self.logInterval
        return true
    }
}

extension ProcessorLoop {
    /// Checks the key of a record if its topic is written by external producers.
    func checkKey(_ message: KafkaMessage, of assigned: AssignedPartition, at now: ContinuousClock.Instant) {
        guard isExternal[message.input],
            let expected = partitionerDetector?.expectedPartition(of: message.key, in: message.partition)
        else { return }
        assigned.misplacedKeys += 1
        metrics.keysMisplaced[message.input].increment()
        guard partitionerDetector?.isDue(input: message.input, at: now) == true else { return }
        context.logger.warning(
            "Record key does not match its partition; set partitioner=murmur2_random.",
            metadata: .of([
                .topic: "\(inputNames[message.input])", .partition: "\(message.partition)",
                .keyPartition: "\(expected)",
            ]))
    }
}
