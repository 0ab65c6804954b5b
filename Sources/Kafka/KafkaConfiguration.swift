import CRdKafka

/// Settings of the connection to the cluster, for all clients of this module.
package struct KafkaConfiguration: Sendable {
    /// Comma-separated list of `host:port`.
    package var bootstrapServers: String
    /// Name of the process in the broker's logs and quotas.
    package var clientID: String
    /// librdkafka properties (`security.protocol`, `sasl.username`, …), which override Sightline's own.
    ///
    /// Producers ignore properties of consumers, and vice versa.
    package var properties: [String: String]
    /// The environment variables that set ``properties``, by property.
    package var variables: [String: String]
    /// Pause between the fetches of an idle consumer, in milliseconds; 0 for none.
    package var idleFetchPauseMilliseconds: Int
    /// Advice for errors of unreachable brokers; empty for the default advice.
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

    /// Validates the properties without connecting.
    /// - Throws: ``KafkaError`` for an unknown property or invalid value.
    package func check() throws(KafkaError) {
        try KafkaClient(RD_KAFKA_PRODUCER, self, properties: []) { _ in }.destroy(abruptly: true)
    }
}

/// Partition assignment strategy of a group.
package enum KafkaAssignor: String, Sendable {
    /// The same partition number of all topics goes to the same member; a rebalance revokes all partitions.
    case range
    /// A rebalance revokes only partitions that move.
    case cooperativeSticky = "cooperative-sticky"
}

package struct KafkaGroupSettings: Sendable {
    package var group: String
    package var assignor: KafkaAssignor
    /// Time without a heartbeat after which a member loses its partitions, in milliseconds.
    package var sessionTimeoutMilliseconds = 10_000
    /// Time without a poll after which a member loses its partitions, in milliseconds.
    package var maximumPollIntervalMilliseconds = 300_000
    /// Maximum wait of the broker for records, in milliseconds (`fetch.wait.max.ms`).
    ///
    /// With brokers that always wait that long, the wait is half of the latency from one worker to the next. Values
    /// below 20 cost more in requests than they save in latency.
    package var fetchWaitMilliseconds = 20
    /// Maximum prefetched records, in KiB.
    package var maximumQueuedKibibytes = 8192

    package init(group: String, assignor: KafkaAssignor) {
        self.group = group
        self.assignor = assignor
    }
}

package struct KafkaProducerSettings: Sendable {
    /// Wait for more records before a batch is sent, in milliseconds (`linger.ms`).
    package var lingerMilliseconds = 20
    /// Maximum unacknowledged records; beyond it, produce calls return ``KafkaProducer/ProduceResult/queueFull``.
    package var maximumQueuedRecords = 20_000
    /// Maximum size of the unacknowledged records, in KiB.
    package var maximumQueuedKibibytes = 32_768

    package init() {}
}
