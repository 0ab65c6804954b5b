import HistoryWorker
import Kafka
import PositionWorker
import PushWorker
import Recordings

/// The consumer groups of the pipeline's workers.
///
/// Belongs to one thread.
struct PipelineGroups {
    private let access: PipelineAccess
    private let admin: KafkaAdmin
    /// Full names.
    let names: [String]

    init(_ access: PipelineAccess, _ admin: KafkaAdmin) {
        self.access = access
        self.admin = admin
        let sinks = [PositionSink.name, HistorySink.name, PushSink.name]
        names = (CatchUp.layouts(access.settings.tracking).map(\.name) + sinks).map(access.group)
    }

    /// Refuses to go on while a worker is a member of its group.
    ///
    /// - Returns: what there is to say where the broker does not tell who the members are.
    /// - Throws: ``InputError`` that names the members, ``KafkaError`` where no broker answers or a right is missing.
    func requireNoMembers() throws -> [String] {
        let members: [String: [KafkaAdmin.GroupMember]]
        do {
            members = try admin.groupsInUse(names)
        } catch {
            guard Self.isUnsupported(error) else { throw error }
            return ["The brokers do not tell whether workers run (\(error)): make sure that all workers are stopped."]
        }
        guard members.isEmpty else {
            let list = members.sorted { $0.key < $1.key }.map { group, members in
                let names = members.map { "\($0.client) at \($0.host)" }.sorted().joined(separator: ", ")
                return names.isEmpty ? group : "\(group) (\(names))"
            }
            throw InputError(
                "Workers are members of their groups: \(list.joined(separator: ", ")). Stop all workers and run this again. A worker "
                    + "that was killed counts until its session has ended (KAFKA_SESSION_TIMEOUT_MS); where the brokers go on "
                    + "counting it, give --ignore-members.")
        }
        return []
    }

    /// Deletes the groups with their committed offsets, so that no stage skips the first records of a new topic.
    ///
    /// Where the brokers cannot delete groups, the offsets are set to the first record instead. Comes before the topics
    /// are deleted: a stage without committed offsets continues at the end of its changelog, and offsets of a topic
    /// that does not exist cannot be set.
    ///
    /// `topics`: the partition counts of the topics that exist, by full name. `ignoresMembers`: brokers that count
    /// members of a group refuse to delete it; its offsets then go with the topics.
    /// - Returns: what there is to say about it.
    func forgetOffsets(of topics: [String: Int], ignoresMembers: Bool) throws -> [String] {
        var notes: [String] = []
        do {
            try admin.deleteGroups(names)
        } catch {
            if ignoresMembers, error.libraryName == "NON_EMPTY_GROUP" {
                return ["The brokers count members of a group (\(error)): committed offsets go with the topics."]
            }
            guard Self.isUnsupported(error) else { throw error }
            notes.append("The brokers do not delete groups (\(error)); their offsets are set to the first record.")
        }
        let partitions = topics.flatMap { topic, count in
            (0..<Int32(count)).map { TopicPartition(topic: topic, partition: $0) }
        }
        guard !partitions.isEmpty else { return notes }
        for group in names {
            let reader = try KafkaReader(access.kafka, group: group, log: PipelineAccess.log)
            defer { reader.close() }
            let left = try reader.committed(partitions).filter { $0.value > 0 }
            if !left.isEmpty { try admin.resetOffsets(of: Array(left.keys), group: group) }
        }
        return notes
    }

    /// Whether the brokers do not know a request, rather than being unable to answer it now.
    private static func isUnsupported(_ error: KafkaError) -> Bool {
        ["_UNSUPPORTED_FEATURE", "UNSUPPORTED_VERSION", "INVALID_REQUEST", "_NOT_IMPLEMENTED"]
            .contains(error.libraryName)
    }
}
