import Kafka
import Logging

/// Name, topics, configuration and status of a worker or gateway.
package struct WorkerContext: Sendable {
    /// Name of the processor, sink or gateway.
    package let name: String
    /// Topics to read, without the prefix.
    let inputs: [String]
    /// Topics to write, without the prefix; empty for a sink.
    let outputs: [String]
    package let names: TopicNames
    package let kafka: KafkaConfiguration
    /// Interval of offset commits and gauge updates; unused by gateways.
    let commitInterval: Duration
    /// Interval of ``ConsumeLoop/maintain()``; `nil` for none.
    let maintenanceInterval: Duration?
    /// Logger with ``name`` in its metadata.
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

    /// Names of ``inputs`` with the topic prefix.
    package var inputNames: [String] { inputs.map { names.full($0) } }

    /// Names of ``outputs`` with the topic prefix.
    var outputNames: [String] { outputs.map { names.full($0) } }

    /// Name of the consumer group with the prefix.
    var group: String { names.group(name) }
}

/// Topic and group names with the environment's prefix.
package struct TopicNames: Sendable, Hashable {
    package var prefix: String

    package init(prefix: String = "") { self.prefix = prefix }

    /// Returns the full name of the pipeline's topic `name`.
    package func full(_ name: String) -> String { prefix + name }

    /// Returns the full name of a worker's consumer group, prefixed so that environments do not share groups.
    package func group(_ name: String) -> String { "\(prefix)sightline.\(name)" }
}

/// Conversion of librdkafka's log lines.
package enum WorkerLog {
    package static func handler(_ logger: Logger) -> KafkaLogHandler {
        { line in
            let level: Logger.Level =
                switch line.level {
                case .debug: .trace
                // librdkafka's info lines only help to debug the library itself.
                case .info: .debug
                case .warning, .error: .warning
                }
            logger.log(level: level, "\(line.text)", metadata: .of([.code: "\(line.facility)"]))
        }
    }
}
