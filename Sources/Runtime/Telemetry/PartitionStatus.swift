/// Status of an assigned partition, shown by the health endpoint.
package struct PartitionStatus: Hashable, Sendable {
    package enum State: String, Sendable, CaseIterable {
        /// Restoring the processor's state, or reading the sink's stored offset.
        case restoring
        /// Processing records.
        case running
        /// Waiting for the store, the brokers or acknowledgements; resumes where it stopped.
        case waiting
    }

    /// The topic without the prefix; for a processor, its first input.
    package var topic: String
    package var partition: Int32
    package var state: State
    /// Age of the oldest unacknowledged output, in seconds; `nil` if the partition does not wait for it.
    package var unacknowledgedSeconds: Int?
    /// Number of checked records whose key belongs to another partition.
    package var misplacedKeys: Int

    package init(
        topic: String, partition: Int32, state: State, unacknowledgedSeconds: Int? = nil, misplacedKeys: Int = 0
    ) {
        self.topic = topic
        self.partition = partition
        self.state = state
        self.unacknowledgedSeconds = unacknowledgedSeconds
        self.misplacedKeys = misplacedKeys
    }
}
