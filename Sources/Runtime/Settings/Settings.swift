import Domain
import Foundation
import Kafka

/// All settings of a program, read from the environment and validated.
package struct Settings: Sendable {
    package let kafka: KafkaSettings
    package let redis: RedisSettings
    package let postgres: PostgresSettings
    package let endpoint: EndpointSettings
    package let log: LogSettings
    package let worker: WorkerSettings
    package let gateway: GatewaySettings
    package let push: PushSettings
    package let tracking: TrackingSettings
    package let arrival: ArrivalSettings
    package let broadcast: BroadcastSettings
    /// The effective values as read, secrets masked, for the log at start and `--check-config`.
    package let effective: [EffectiveSetting]

    /// Reads and checks all settings of `program`.
    ///
    /// - Parameters:
    ///   - program: settings of other programs are ignored and have their defaults in the result.
    ///   - environment: the process's environment, except in tests.
    /// - Throws: ``SettingsError`` with all problems.
    package init(
        for program: Program, environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(SettingsError) {
        var reader = SettingsReader(program: program, environment: environment)
        kafka = KafkaSettings(&reader)
        redis = RedisSettings(&reader)
        postgres = PostgresSettings(&reader)
        endpoint = EndpointSettings(&reader)
        log = LogSettings(&reader)
        worker = WorkerSettings(&reader, kafka)
        gateway = GatewaySettings(&reader)
        push = PushSettings(&reader)
        tracking = Self.read(SettingTable.trackingSettings, into: TrackingSettings(), &reader) { $0.problems() }
        arrival = Self.read(SettingTable.arrivalSettings, into: ArrivalSettings(), &reader) { $0.problems() }
        broadcast = Self.read(SettingTable.broadcastSettings, into: BroadcastSettings(), &reader) { $0.problems() }
        effective = reader.effective
        let problems = reader.problems + UnknownVariables.problems(in: environment)
        guard problems.isEmpty else { throw SettingsError(problems: problems) }
    }

    /// Overrides the domain's defaults by the variables that are set, and validates the combination.
    private static func read<Root>(
        _ table: [DomainSetting<Root>], into defaults: Root, _ reader: inout SettingsReader,
        problems: (Root) -> [String]
    ) -> Root {
        var root = defaults
        let before = reader.problems.count
        for setting in table { setting.apply(&reader, &root) }
        // A default that replaced an invalid value may be the only reason why the combination is invalid.
        guard reader.problems.count == before else { return root }
        let keys = table.map(\.definition.key).filter { reader.variable($0) != nil }
        for problem in problems(root) {
            reader.report(keys, "\(keys.joined(separator: ", ")): \(problem)")
        }
        return root
    }
}

extension Settings {
    package var kafkaConfiguration: KafkaConfiguration {
        KafkaConfiguration(
            bootstrapServers: kafka.bootstrapServers, clientID: kafka.clientID, properties: kafka.revealedProperties,
            variables: kafka.propertyVariables,
            idleFetchPauseMilliseconds: kafka.idleFetchPauseMilliseconds, advice: kafka.advice())
    }

    package var topicNames: TopicNames { TopicNames(prefix: kafka.topicPrefix) }
}
