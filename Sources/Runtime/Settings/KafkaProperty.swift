/// A property of the client library that an environment variable sets: `KAFKA_SECURITY_PROTOCOL` is
/// `security.protocol`.
package struct KafkaProperty: Sendable, Hashable {
    /// As librdkafka names it.
    package let name: String
    package let value: Secret

    /// Whether the value is a password, a private key, or holds one.
    package var isSecret: Bool { Self.isSecret(name) }

    package init(name: String, value: Secret) {
        self.name = name
        self.value = value
    }

    /// The property that `variable` sets, without a value.
    ///
    /// `nil` when it does not begin with `KAFKA_`, or belongs to the scripts of Apache Kafka.
    init?(variable: String) {
        guard variable.hasPrefix("KAFKA_"), variable.utf8.count > 6, !Self.variablesOfScripts.contains(variable) else {
            return nil
        }
        name = String(variable.dropFirst(6).lowercased().map { $0 == "_" ? "." : $0 })
        value = Secret("")
    }

    /// The environment variable that sets it.
    var variable: String { "KAFKA_" + name.uppercased().map { $0 == "." ? "_" : String($0) }.joined() }

    /// The value as it may be shown.
    package var shown: String { isSecret ? Secret.mask : value.reveal() }

    static func isSecret(_ name: String) -> Bool {
        ["password", "secret", "passphrase", "key.pem", "oauthbearer.config", "jaas"].contains {
            name.contains($0)
        }
    }

    /// What the scripts of Apache Kafka read, and deploy/local/stack; no property of the client library.
    static let variablesOfScripts: Set<String> = [
        "KAFKA_HOME", "KAFKA_HEAP_OPTS", "KAFKA_OPTS", "KAFKA_JVM_PERFORMANCE_OPTS", "KAFKA_GC_LOG_OPTS",
        "KAFKA_JMX_OPTS", "KAFKA_LOG4J_OPTS", "KAFKA_LOG4J_CMD_OPTS",
    ]

    /// Properties on which the delivery guarantees rest, each with what to do instead.
    static let reserved: [String: String] = [
        "bootstrap.servers": "set KAFKA_BOOTSTRAP_SERVERS.",
        "metadata.broker.list": "set KAFKA_BOOTSTRAP_SERVERS.",
        "group.id":
            "groups are named after the worker; SIGHTLINE_TOPIC_PREFIX tells environments apart.",
        "acks": "outputs must be safe on all replicas.",
        "request.required.acks": "outputs must be safe on all replicas.",
        "enable.idempotence": "without it, outputs could be doubled.",
        "enable.gapless.guarantee": "a gap would lose outputs.",
        "transactional.id": "partitions are fenced without transactions.",
        "partitioner": "outputs stay in their record's partition.",
        "enable.auto.commit": "offsets are stored when all that came of a record is acknowledged.",
        "auto.commit.enable": "offsets are stored when all that came of a record is acknowledged.",
        "enable.auto.offset.store":
            "offsets are stored when all that came of a record is acknowledged.",
        "auto.offset.reset": "a partition without a position begins at its oldest record.",
        "partition.assignment.strategy": "it is chosen to fit the client library's version.",
        "delivery.report.only.error": "acknowledgements are what moves a partition on.",
        "enable.partition.eof": "the end of a partition is how a restore knows that it is done.",
        "sasl.mechanisms": "set KAFKA_SASL_MECHANISM.",
        "allow.auto.create.topics": "topics are made by `sightline topics create`.",
    ]
}

extension KafkaProperty: CustomStringConvertible {
    package var description: String { "\(name)=\(shown)" }
}
