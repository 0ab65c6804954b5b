import Kafka
import Logging
import Model

/// Warns, when a worker starts, of topics that are kept for a shorter time than the raw locations.
enum RetentionCheck {
    private static let timeoutMilliseconds = 2000

    /// Asks the broker for the settings of the worker's topics, and warns of those that are kept for too short a time.
    ///
    /// A worker may run without the right to see the settings: then nothing is checked.
    static func run(_ frame: WorkerContext, _ admin: KafkaAdmin) {
        let topics = Set((frame.inputs + frame.outputs).compactMap { PipelineTopic(rawValue: $0) })
        guard !topics.isEmpty else { return }
        do {
            let all = topics.union([.rawLocations]).map { frame.names.full($0.rawValue) }
            warn(frame, of: try admin.settings(of: all, timeoutMilliseconds: timeoutMilliseconds))
        } catch {
            frame.logger.debug(
                "How long the topics are kept could not be checked.", metadata: .of([.error: "\(error)"]))
        }
    }

    /// `settings`: by full topic name.
    static func warn(_ frame: WorkerContext, of settings: [String: [String: String]]) {
        var retention: [PipelineTopic: Int64] = [:]
        for topic in PipelineTopic.allCases {
            retention[topic] = settings[frame.names.full(topic.rawValue)]?[PipelineTopic.retentionSetting]
                .flatMap { Int64($0) }
        }
        for topic in PipelineTopic.keptTooShort(retention) {
            frame.logger.warning(
                "A topic is kept for a shorter time than the raw locations, so that a restart may answer them again; `sightline topics create` shows how to change that.",
                metadata: .of([.topic: "\(frame.names.full(topic.rawValue))"]))
        }
    }
}
