import Domain
import Kafka
import Logging

/// Check at start for topics with a shorter retention than the raw topic.
enum RetentionCheck {
    private static let timeoutMilliseconds = 2000

    /// Reads the topics' settings and warns; does nothing without the permission to read them.
    static func run(_ context: WorkerContext, _ admin: KafkaAdmin) {
        let topics = Set((context.inputs + context.outputs).compactMap { PipelineTopic(rawValue: $0) })
        guard !topics.isEmpty else { return }
        do {
            let all = topics.union([.rawLocations]).map { context.names.full($0.rawValue) }
            warn(context, of: try admin.settings(of: all, timeoutMilliseconds: timeoutMilliseconds))
        } catch {
            context.logger.debug("Topic retention could not be checked.", metadata: .of([.error: "\(error)"]))
        }
    }

    /// Warns about each topic whose retention is too short; the keys of `settings` are full topic names.
    static func warn(_ context: WorkerContext, of settings: [String: [String: String]]) {
        var retention: [PipelineTopic: Int64] = [:]
        for topic in PipelineTopic.allCases {
            retention[topic] = settings[context.names.full(topic.rawValue)]?[PipelineTopic.retentionSetting]
                .flatMap { Int64($0) }
        }
        for topic in PipelineTopic.retainedTooShort(retention) {
            context.logger.warning(
                "Topic retention is shorter than that of the raw topic; see `sightline topics create`.",
                metadata: .of([.topic: "\(context.names.full(topic.rawValue))"]))
        }
    }
}
