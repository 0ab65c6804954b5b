/// Permission of a Kafka user (ACL): an operation on a topic or consumer group.
package struct KafkaRight: Hashable, Sendable, CustomStringConvertible {
    package enum Operation: String, Sendable {
        case read = "Read"
        case write = "Write"
        case describe = "Describe"
        case create = "Create"
        case delete = "Delete"
    }

    package enum Resource: String, Sendable {
        case topic
        case group
    }

    package var operation: Operation
    package var resource: Resource
    /// The full name of the topic or group.
    package var name: String

    package init(_ operation: Operation, on resource: Resource, _ name: String) {
        self.operation = operation
        self.resource = resource
        self.name = name
    }

    /// Text such as "Read on topic driver.locations".
    package var description: String { "\(operation.rawValue) on \(resource.rawValue) \(name)" }
}
