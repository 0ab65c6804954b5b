import CRdKafka

/// How to reach the cluster, for every client of this module.
package struct KafkaConfiguration: Sendable {
    /// `host:port`, several separated by commas.
    package var bootstrapServers: String
    /// Names the process in the broker's logs and quotas.
    package var clientID: String
    /// Any librdkafka property (`security.protocol`, `sasl.username`, …); these win over Sightline's own choices.
    ///
    /// A property that only producers or only consumers know is ignored by the other.
    package var properties: [String: String]
    /// By property, the environment variable that it comes from; properties that the program sets are absent.
    package var variables: [String: String]
    /// Pause between the fetches of an idle consumer, in milliseconds; 0 for none.
    package var idleFetchPauseMilliseconds: Int
    /// Sentences that tell what to do where no broker answers; empty for the advice that always holds.
    package var advice: String

    package init(
        bootstrapServers: String, clientID: String = "sightline", properties: [String: String] = [:],
        variables: [String: String] = [:], idleFetchPauseMilliseconds: Int = 0, advice: String = ""
    ) {
        self.bootstrapServers = bootstrapServers
        self.clientID = clientID
        self.properties = properties
        self.variables = variables
        self.idleFetchPauseMilliseconds = idleFetchPauseMilliseconds
        self.advice = advice
    }

    /// Has the client library check all this, without connecting to a broker.
    /// - Throws: ``KafkaError`` for a property that the library does not know, or whose value it refuses.
    package func check() throws(KafkaError) {
        try KafkaClient(RD_KAFKA_PRODUCER, self, properties: []) { _ in }.destroy(abruptly: true)
    }
}

/// Which protocol a group shares its partitions by.
package enum KafkaAssignor: String, Sendable {
    /// The same partition number of every topic goes to the same member; a change takes all partitions away for a
    /// moment.
    case range
    /// Each partition moves alone, and the others are not disturbed.
    case cooperativeSticky = "cooperative-sticky"
}

/// The settings of a group consumer.
package struct KafkaGroupSettings: Sendable {
    package var group: String
    package var assignor: KafkaAssignor
    /// After this long without a heartbeat a member's partitions go to others, in milliseconds.
    package var sessionTimeoutMilliseconds = 10_000
    /// After this long without a poll a member gives up its partitions, in milliseconds.
    package var maximumPollIntervalMilliseconds = 300_000
    /// How long the broker may hold back the answer to a fetch when there is nothing to read, in milliseconds.
    ///
    /// Some brokers hold it back even when records come meanwhile, so that this is half of what a hop takes; less
    /// than 20 costs them more in fetches than it saves.
    package var fetchWaitMilliseconds = 20
    /// Records fetched ahead of the polls, in KiB, at most.
    package var maximumQueuedKibibytes = 8192

    package init(group: String, assignor: KafkaAssignor) {
        self.group = group
        self.assignor = assignor
    }
}

/// The settings of a producer.
package struct KafkaProducerSettings: Sendable {
    /// How long a record waits for company before it is sent, in milliseconds.
    package var lingerMilliseconds = 20
    /// Records waiting for acknowledgement before ``KafkaProducer/produce(_:to:partition:ticket:)`` answers
    /// ``KafkaProducer/Answer/queueFull``.
    package var maximumQueuedRecords = 20_000
    /// The same bound in KiB.
    package var maximumQueuedKibibytes = 32_768

    package init() {}
}
