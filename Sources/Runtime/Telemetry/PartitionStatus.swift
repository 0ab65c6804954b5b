/// Status of an assigned partition, shown by the health endpoint.
package struct PartitionStatus: Hashable, Sendable {
    package enum State: String, Sendable, CaseIterable {
        /// Reading the changelog, or the stored offset.
        case restoring
        /// Processing records.
        case running
        /// Waiting for the store, the broker or acknowledgements; continues at the same offset.
        case waiting
    }

    /// The first input of a processor, or the topic of a sink, without the prefix.
    package var topic: String
    package var partition: Int32
    package var state: State
    /// Age of the oldest unacknowledged output in seconds, if the partition waits for it.
    package var unacknowledgedSeconds: Int?
    /// Records found whose key belongs to another partition.
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
