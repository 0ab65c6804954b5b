/// A partition that a worker holds, as its endpoint shows it.
package struct PartitionStatus: Hashable, Sendable {
    package enum State: String, Sendable, CaseIterable {
        /// Reading the stage's own output, or the store's clock, to know where to continue.
        case restoring
        /// Processing records.
        case running
        /// Waiting for the store or the broker, or for the acknowledgement of outputs; continues at the same offset.
        case waiting
    }

    /// The first input of a stage, or the topic of a sink; without the prefix.
    package var topic: String
    package var partition: Int32
    package var state: State
    /// How long the oldest output has waited for its acknowledgement, in whole seconds, where the partition waits for
    /// that; `nil` otherwise.
    package var unacknowledgedSeconds: Int?
    /// Records noticed that belong to another partition by their key.
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
