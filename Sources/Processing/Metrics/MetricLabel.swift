/// The names of all labels, each with the closed set its values come from.
///
/// Never a driver, vehicle or trip: a label's values must stay few for as long as the process lives.
package enum MetricLabel: String, CaseIterable, Sendable {
    case program, version, stage, topic, partition
    case consumerGroup = "consumer_group"
    case verdict, reason, code, action, type, outcome, platform

    /// What the values are, for the documentation.
    package var values: String {
        switch self {
        case .program: "product names, such as `location-worker`"
        case .version: "the program's version"
        case .stage: "`location`, `eta`, `broadcast`, `position`, `history`, `push`, `rider-gateway`, `driver-gateway`"
        case .topic: "topic names, without the prefix"
        case .partition: "partition numbers, from 0"
        case .consumerGroup: "consumer groups, with the prefix"
        case .verdict: "`accepted`, `late`, `duplicate`, `throttled`, `rejected`"
        case .reason: "reason codes, such as `TELEPORTATION`; `NONE` where there is none"
        case .code: "warning codes, the client library's error names, or codes of WebSocket close frames"
        case .action: "`NONE`, `FLAG`, `REJECT`, `REVIEW`, `RESOLVED`"
        case .outcome:
            "of joins `resumed`, `refreshed`, `unknown`, `failed`; of devices' messages `acknowledged`, `refused`, `limited`, `failed`; of notifications `delivered`, `unregistered`, `refused`, `abandoned`, `unconfigured`"
        case .platform: "push services: `apns`, `fcm`"
        case .type: "types of rider updates, such as `eta_update`; of limits `address`, `user`"
        }
    }
}
