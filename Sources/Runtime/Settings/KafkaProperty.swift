/// librdkafka property set by an environment variable: `KAFKA_SECURITY_PROTOCOL` sets `security.protocol`.
package struct KafkaProperty: Sendable, Hashable {
    /// librdkafka's name, such as `security.protocol`.
    package let name: String
    package let value: Secret

    /// Whether the value is or contains a password or private key.
    package var isSecret: Bool { Self.isSecret(name) }

    /// The environment variable that sets the property.
    var variable: String { "KAFKA_" + name.uppercased().map { $0 == "." ? "_" : String($0) }.joined() }

    /// The value, masked if secret.
    package var shown: String { isSecret ? Secret.mask : value.reveal() }

    static func isSecret(_ name: String) -> Bool {
        ["password", "secret", "passphrase", "key.pem", "oauthbearer.config", "jaas"].contains {
            name.contains($0)
        }
    }

    /// Variables of the scripts of Apache Kafka and of deploy/local/stack.
    static let variablesOfScripts: Set<String> = [
        "KAFKA_HOME", "KAFKA_HEAP_OPTS", "KAFKA_OPTS", "KAFKA_JVM_PERFORMANCE_OPTS", "KAFKA_GC_LOG_OPTS",
        "KAFKA_JMX_OPTS", "KAFKA_LOG4J_OPTS", "KAFKA_LOG4J_CMD_OPTS",
    ]

    /// Properties that cannot be set, each with the reason or the setting to use instead.
    static let reserved: [String: String] = [
        "bootstrap.servers": "set KAFKA_BOOTSTRAP_SERVERS.",
        "metadata.broker.list": "set KAFKA_BOOTSTRAP_SERVERS.",
        "group.id":
            "groups are named after the worker; SIGHTLINE_TOPIC_PREFIX separates environments.",
        "acks": "outputs must be replicated to all in-sync replicas.",
        "request.required.acks": "outputs must be replicated to all in-sync replicas.",
        "enable.idempotence": "without it, outputs could be duplicated.",
        "enable.gapless.guarantee": "a gap would lose outputs.",
        "transactional.id": "partitions are fenced without transactions.",
        "partitioner": "outputs stay in their record's partition.",
        "enable.auto.commit": "offsets are stored after all outputs of a record are acknowledged.",
        "auto.commit.enable": "offsets are stored after all outputs of a record are acknowledged.",
        "enable.auto.offset.store": "offsets are stored after all outputs of a record are acknowledged.",
        "auto.offset.reset": "a partition without a position begins at its oldest record.",
        "partition.assignment.strategy": "it depends on the client library's version.",
        "delivery.report.only.error": "offsets advance on acknowledgements.",
        "enable.partition.eof": "a restore ends at the end of the partition.",
        "sasl.mechanisms": "set KAFKA_SASL_MECHANISM.",
        "allow.auto.create.topics": "topics are created by `sightline topics create`.",
    ]
}

extension KafkaProperty: CustomStringConvertible {
    /// Creates the property that `variable` sets, without a value.
    ///
    /// `nil` if `variable` has no name after `KAFKA_`, or belongs to ``variablesOfScripts``.
    init?(variable: String) {
        guard variable.hasPrefix("KAFKA_"), variable.utf8.count > 6, !Self.variablesOfScripts.contains(variable) else {
            return nil
        }
        self.init(name: String(variable.dropFirst(6).lowercased().map { $0 == "_" ? "." : $0 }), value: Secret(""))
    }

    package var description: String { "\(name)=\(shown)" }
}
