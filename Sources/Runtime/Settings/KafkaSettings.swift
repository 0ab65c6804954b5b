import Foundation

/// Connection to Kafka.
package struct KafkaSettings: Sendable {
    /// `host:port`, several separated by commas.
    package var bootstrapServers: String
    package var clientID: String
    /// Prefix of every topic name and consumer group; may be empty.
    package var topicPrefix: String
    package var sessionTimeoutMilliseconds: Int
    package var maximumPollIntervalMilliseconds: Int
    package var lingerMilliseconds: Int
    /// Pause between the fetches of an idle client, in milliseconds; 0 for none.
    package var idleFetchPauseMilliseconds: Int
    /// Security properties, and properties set by `KAFKA_…` variables that are not settings; sorted by name.
    package var properties: [KafkaProperty]
    /// Environment variables by the property that they set; absent for defaults.
    package let propertyVariables: [String: String]
    /// Whether no variable `KAFKA_…` is set.
    package let isUnset: Bool

    /// ``properties`` for the client, with secrets in plain text.
    package var revealedProperties: [String: String] {
        Dictionary(properties.map { ($0.name, $0.value.reveal()) }, uniquingKeysWith: { _, last in last })
    }

    init(_ reader: inout SettingsReader) {
        isUnset = reader.environment.allSatisfy { key, value in
            !key.hasPrefix("KAFKA_") || KafkaProperty.variablesOfScripts.contains(key)
                || value.allSatisfy(\.isWhitespace) || UnknownVariables.isServiceLink(key, value)
        }
        bootstrapServers = reader.text(.kafkaBootstrapServers).filter { $0 != " " }
        clientID = reader.text(.kafkaClientID)
        topicPrefix = reader.text(.topicPrefix)
        sessionTimeoutMilliseconds = reader.integer(.kafkaSessionTimeout)
        maximumPollIntervalMilliseconds = reader.integer(.kafkaMaximumPollInterval)
        lingerMilliseconds = reader.integer(.kafkaLinger)
        idleFetchPauseMilliseconds = reader.integer(.kafkaIdleFetchPause)
        let security = KafkaSecurity(&reader)
        properties = (security.properties + Self.readProperties(&reader)).sorted { $0.name < $1.name }
        let set = properties.filter { reader.isSet($0.variable) }
        propertyVariables = Dictionary(set.map { ($0.name, $0.variable) }, uniquingKeysWith: { _, last in last })
        security.check(properties, &reader)
        reader.require(
            sessionTimeoutMilliseconds <= maximumPollIntervalMilliseconds, .kafkaSessionTimeout,
            .milliseconds(sessionTimeoutMilliseconds), .notAbove, .kafkaMaximumPollInterval,
            .milliseconds(maximumPollIntervalMilliseconds))
    }

    /// Returns advice for a default address at which no broker answers; empty if a variable `KAFKA_…` is set.
    package func advice(in folder: URL = .currentDirectory()) -> String {
        guard isUnset else { return "" }
        return DefaultAddress.advice(
            finding: "No variable KAFKA_… is set",
            fix: "set KAFKA_BOOTSTRAP_SERVERS to the addresses of your brokers "
                + "(\(SettingDefinition.kafkaBootstrapServers.kind.allowed))", in: folder)
    }

    private static func readProperties(_ reader: inout SettingsReader) -> [KafkaProperty] {
        let known = Set(SettingTable.all.map(\.key))
        // `X_FILE` is the path of a file with the secret `X`.
        let variables = Set(reader.environment.keys.map { propertyVariable($0) }).sorted()
        var properties: [KafkaProperty] = []
        for variable in variables where !known.contains(variable) {
            guard let property = KafkaProperty(variable: variable) else { continue }
            if UnknownVariables.isServiceLink(variable, reader.environment[variable] ?? "") { continue }
            if let reason = KafkaProperty.reserved[property.name] {
                reader.report([variable], "\(variable) cannot be set: \(reason)")
                continue
            }
            let found =
                property.isSecret
                ? reader.secretVariable(variable)
                : reader.variable(variable).map { (text: $0, origin: .environment) }
            guard let found else { continue }
            let read = KafkaProperty(name: property.name, value: Secret(found.text))
            reader.record(EffectiveSetting(key: variable, value: read.shown, origin: found.origin))
            properties.append(read)
        }
        return properties
    }

    /// Removes `_FILE` from variables of secrets; keeps librdkafka's own `….file` properties.
    private static func propertyVariable(_ variable: String) -> String {
        guard variable.hasSuffix("_FILE") else { return variable }
        let base = String(variable.dropLast(5))
        return KafkaProperty(variable: base)?.isSecret == true ? base : variable
    }
}
