import Kafka
import Model

/// Creates topics of the pipeline as this version needs them.
///
/// Belongs to one thread.
struct TopicCreation {
    let access: PipelineAccess
    let admin: KafkaAdmin
    /// Copies of each record; `nil` leaves it to the cluster.
    let replication: Int?
    /// In-sync replicas that a write needs.
    let minimumInSync: Int

    /// `replication`: where the options name none; `nil` for the cluster's default.
    init(_ access: PipelineAccess, _ admin: KafkaAdmin, _ options: NewTopicOptions, replication: Int? = nil) {
        self.access = access
        self.admin = admin
        self.replication = options.replication ?? replication
        // A cluster that does not tell its default is taken for one that keeps a single copy: all writes succeed there.
        let copies = self.replication ?? (try? admin.defaultReplication()) ?? 1
        minimumInSync = options.minInsyncReplicas ?? PipelineTopic.minimumInSync(replication: copies)
    }

    /// Creates those of `topics` that do not exist.
    ///
    /// - Returns: the full names of those created, and what there is to say about it, a line each.
    func create(_ topics: [PipelineTopic], partitions: Int) throws -> (created: [String], notes: [String]) {
        do {
            return (try admin.create(topics.map { new($0, partitions) }), [])
        } catch {
            guard error.libraryName == "INVALID_CONFIG" else { throw error }
            let bound = PipelineTopic.timestampBound
            let created = try admin.create(topics.map { new($0, partitions, leavingOut: bound) })
            return (
                created,
                [
                    "This cluster knows no \(bound) (Kafka 3.6 and later do): the topics are created without it."
                ]
            )
        }
    }

    private func new(
        _ topic: PipelineTopic, _ partitions: Int, leavingOut setting: String? = nil
    ) -> KafkaAdmin.NewTopic {
        var settings = topic.brokerSettings(minimumInSync: minimumInSync)
        if let setting { settings[setting] = nil }
        return KafkaAdmin.NewTopic(
            name: access.name(of: topic), partitions: partitions, replication: replication ?? -1, settings: settings)
    }

    /// A broker that has just been started takes connections before it counts as one on which replicas can be placed.
    static func mayPass(_ error: any Error) -> Bool {
        WaitOptions.isRetriable(error) || (error as? KafkaError)?.libraryName == "INVALID_REPLICATION_FACTOR"
    }
}
