/// Label names, each with a closed set of values; drivers, vehicles and trips are never values.
package enum MetricLabel: String, CaseIterable, Sendable {
    case program, version, stage, topic, partition
    case consumerGroup = "consumer_group"
    case verdict, reason, code, action, type, outcome, platform
}
