/// All settings, in the order of the documentation.
package enum SettingTable {
    package struct Group: Sendable {
        package let title: String
        package let settings: [SettingDefinition]
    }

    package static let groups: [Group] = [
        Group(title: "Kafka", settings: kafka),
        Group(title: "Redis", settings: redis),
        Group(title: "Postgres and history", settings: postgres),
        Group(title: "Endpoint and logs", settings: operation),
        Group(title: "Worker", settings: worker),
        Group(title: "Gateways and tokens", settings: gateway),
        Group(title: "Notifications", settings: push),
        Group(title: "Spoof detection and smoothing", settings: trackingSettings.map(\.definition)),
        Group(title: "Arrival times", settings: arrivalSettings.map(\.definition)),
        Group(title: "Rider updates", settings: broadcastSettings.map(\.definition)),
    ]

    package static let all: [SettingDefinition] = groups.flatMap(\.settings)
}
