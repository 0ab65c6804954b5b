/// A partition that a worker holds, as its endpoint shows it.
package struct PartitionStatus: Hashable, Sendable {
    package enum State: String, Sendable, CaseIterable {
        /// Reading the stage's own output, or the store's clock, to know where to continue.
        case restoring
        /// Processing records.
        case running
        /// Waiting for the store or the broker; continues at the same offset.
        case waiting
    }

    /// The first input of a stage, or the topic of a sink; without the prefix.
    package var topic: String
    package var partition: Int32
    package var state: State

    package init(topic: String, partition: Int32, state: State) {
        self.topic = topic
        self.partition = partition
        self.state = state
    }
}
