/// Label names, each with a closed set of values; drivers, vehicles and trips are never values.
package enum MetricLabel: String, CaseIterable, Sendable {
    case program, version, stage, topic, partition
    case consumerGroup = "consumer_group"
    case verdict, reason, code, action, type, outcome, platform

    /// The possible values, for the documentation.
    package var values: String {
        switch self {
        case .program: "product names, such as `location-worker`"
        case .version: "the program's version"
        case .stage: "`location`, `eta`, `broadcast`, `position`, `history`, `push`, `rider-gateway`, `driver-gateway`"
        case .topic: "topic names, without the prefix"
        case .partition: "partition numbers, from 0"
        case .consumerGroup: "consumer groups, with the prefix"
        case .verdict: "`accepted`, `late`, `duplicate`, `throttled`, `rejected`"
        case .reason: "reason codes, such as `TELEPORTATION`; `NONE` without a reason"
        case .code: "warning codes, the Kafka client library's error names, or WebSocket close codes"
        case .action: "`NONE`, `FLAG`, `REJECT`, `REVIEW`, `RESOLVED`"
        case .outcome:
            "joins: `resumed`, `refreshed`, `unknown`, `failed`; device messages: `acknowledged`, `refused`, `limited`, `failed`; notifications: `delivered`, `unregistered`, `refused`, `abandoned`, `unconfigured`"
        case .platform: "push services: `apns`, `fcm`"
        case .type: "rider updates: message types, such as `eta_update`; limits: `address`, `user`"
        }
    }
}
