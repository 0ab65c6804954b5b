import ArgumentParser
import Domain
import Kafka

/// Creation of topics with the settings of this version.
///
/// Use on one thread only.
struct TopicCreation {
    let access: PipelineAccess
    let admin: KafkaAdmin
    /// Replication factor; `nil` for the default of the cluster.
    let replication: Int?
    /// Value of `min.insync.replicas`.
    let minimumInSync: Int

    /// Selects the replication factor: that of the options, else `replication`, else the default of the cluster.
    init(_ access: PipelineAccess, _ admin: KafkaAdmin, _ options: NewTopicOptions, replication: Int? = nil) {
        self.access = access
        self.admin = admin
        self.replication = options.replication ?? replication
        // If the default is unknown, 1 is assumed, because a higher minimum could block all writes.
        let copies = self.replication ?? (try? admin.defaultReplication()) ?? 1
        minimumInSync = options.minInsyncReplicas ?? PipelineTopic.minimumInSync(replication: copies)
    }

    /// Creates the topics that do not exist.
    /// - Returns: the full names of new topics, and lines to print.
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
                    "This cluster does not support \(bound) (Kafka 3.6 and later do): the topics are created without it."
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

    /// Returns whether an error can be transient: a new broker accepts connections before it can host replicas.
    static func isTransient(_ error: any Error) -> Bool {
        WaitOptions.isRetriable(error) || (error as? KafkaError)?.libraryName == "INVALID_REPLICATION_FACTOR"
    }
}

/// Options for the creation of topics.
struct NewTopicOptions: ParsableArguments {
    @Option(help: "Replication factor; the default of the cluster if omitted.")
    var replication: Int?

    @Option(
        help: """
            In-sync replicas required for an acknowledgement; by default 2 with a replication factor of 3 or more, \
            otherwise 1.
            """)
    var minInsyncReplicas: Int?

    func validate() throws {
        if let replication, !(1...16).contains(replication) { throw ValidationError("--replication must be 1 to 16.") }
        if let minInsyncReplicas, !(1...(replication ?? 16)).contains(minInsyncReplicas) {
            throw ValidationError(
                "--min-insync-replicas must be 1 to \(replication ?? 16).")
        }
    }

    static func validate(partitions: Int?) throws {
        if let partitions, !(1...10_000).contains(partitions) {
            throw ValidationError("--partitions must be 1 to 10000.")
        }
    }
}
