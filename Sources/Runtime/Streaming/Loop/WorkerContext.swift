import Kafka
import Logging

/// What the loop of every worker needs, whether it runs a stage or a sink.
package struct WorkerContext: Sendable {
    /// The stage, the sink or the gateway.
    package let name: String
    /// The topics that it reads, without the prefix.
    let inputs: [String]
    /// The topics that it writes, without the prefix; empty for a sink.
    let outputs: [String]
    package let names: TopicNames
    package let kafka: KafkaConfiguration
    /// Time between commits of the advisory offsets, and between updates of gauges; a gateway does neither.
    let commitInterval: Duration
    /// Time between two calls of ``ConsumeLoop/maintain()``; `nil` where there is nothing to maintain.
    let maintenanceInterval: Duration?
    /// Names the stage or sink in its metadata.
    package let logger: Logger
    package let control: WorkerControl
    package let status: WorkerStatus

    package init(
        name: String, inputs: [String], outputs: [String] = [], names: TopicNames, kafka: KafkaConfiguration,
        commitInterval: Duration = .seconds(1), maintenanceInterval: Duration? = nil, logger: Logger
    ) {
        self.name = name
        self.inputs = inputs
        self.outputs = outputs
        self.names = names
        self.kafka = kafka
        self.commitInterval = commitInterval
        self.maintenanceInterval = maintenanceInterval
        var logger = logger
        logger[metadataKey: LogKey.stage.rawValue] = "\(name)"
        self.logger = logger
        control = WorkerControl()
        status = WorkerStatus()
    }

    /// The full names of ``inputs``, in the same order.
    package var inputNames: [String] { inputs.map { names.full($0) } }

    /// The full names of ``outputs``, in the same order.
    var outputNames: [String] { outputs.map { names.full($0) } }

    /// The full name of the consumer group.
    var group: String { names.group(name) }
}
