import Kafka
import Logging
import Support

/// Notices records in another partition than the one that their key belongs to: a producer uses another partitioner.
///
/// The records of a driver are then in several partitions, and each of them judges the driver for itself; a trip in
/// another partition than its driver's fixes gets no arrival times. Looks at the first of each run of records of one topic
/// and partition in a poll, so that it costs nothing and still notices a producer within moments, and a lone trip among
/// many locations, too.
struct PartitionerMismatchDetector {
    /// Time between two lines of the log about one topic.
    static let noticeInterval = Duration.seconds(60)

    private let partitions: Int32
    /// When the next line is due, by input.
    private var nextNotice: [ContinuousClock.Instant?]

    /// `partitions`: of each topic.
    init(partitions: Int, inputs: Int) {
        self.partitions = Int32(partitions)
        nextNotice = Array(repeating: nil, count: inputs)
    }

    /// The partition that a record belongs to by its key; `nil` where it is there, or has no key.
    func rightPartition(of key: ByteSlice, in partition: Int32) -> Int32? {
        guard !key.isEmpty else { return nil }
        let right = murmur2Partition(key: key, count: partitions)
        return right == partition ? nil : right
    }

    /// Whether a record in the wrong partition is to be logged now.
    mutating func isDue(input: Int, at now: ContinuousClock.Instant) -> Bool {
        if let next = nextNotice[input], now < next { return false }
        nextNotice[input] = now + Self.noticeInterval
        return true
    }
}

extension ProcessorLoop {
    /// Looks at the key of a record of a topic that others write.
    func lookAtKey(_ message: KafkaMessage, of task: AssignedPartition, at now: ContinuousClock.Instant) {
        guard writtenByOthers[message.input],
            let right = keyWatch?.rightPartition(of: message.key, in: message.partition)
        else { return }
        task.misplacedKeys += 1
        metrics.keysMisplaced[message.input].increment()
        guard keyWatch?.isDue(input: message.input, at: now) == true else { return }
        frame.logger.warning(
            "A record is in another partition than its key belongs to: a producer uses another partitioner, and trips get no arrival times; set partitioner=murmur2_random in producers that use librdkafka.",
            metadata: .of([
                .topic: "\(inputNames[message.input])", .partition: "\(message.partition)", .keyPartition: "\(right)",
            ]))
    }
}
