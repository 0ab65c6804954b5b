import HistoryWorker
import Kafka
import PositionWorker
import PushWorker
import Recordings

/// The consumer groups of the workers.
///
/// Use on one thread only.
struct PipelineGroups {
    private let access: PipelineAccess
    private let admin: KafkaAdmin
    /// Group names, including the prefix.
    let names: [String]

    init(_ access: PipelineAccess, _ admin: KafkaAdmin) {
        self.access = access
        self.admin = admin
        let sinks = [PositionSink.name, HistorySink.name, PushSink.name]
        names = (CatchUp.layouts(access.settings.tracking).map(\.name) + sinks).map(access.group)
    }

    /// Checks that no worker is a member of its group.
    /// - Returns: a warning to print if the brokers do not support the request.
    /// - Throws: ``InputError`` with the members, ``KafkaError`` if no broker responds or a right is missing.
    func requireNoMembers() throws -> [String] {
        let members: [String: [KafkaAdmin.GroupMember]]
        do {
            members = try admin.groupsInUse(names)
        } catch {
            guard Self.isUnsupported(error) else { throw error }
            return ["The brokers cannot list running workers (\(error)): make sure that all workers are stopped."]
        }
        guard members.isEmpty else {
            let list = members.sorted { $0.key < $1.key }.map { group, members in
                let names = members.map { "\($0.client) at \($0.host)" }.sorted().joined(separator: ", ")
                return names.isEmpty ? group : "\(group) (\(names))"
            }
            throw InputError(
                "Workers are members of their groups: \(list.joined(separator: ", ")). Stop all workers and run this again. "
                    + "A killed worker remains a member until its session times out (KAFKA_SESSION_TIMEOUT_MS); if the "
                    + "brokers still list it after that, pass --ignore-members.")
        }
        return []
    }

    /// Deletes the groups with their committed offsets, with which processors would skip the first new records.
    ///
    /// If the brokers cannot delete groups, sets the offsets to the first record. Call before the topics are deleted,
    /// because offsets of missing topics cannot be set, and a processor without offsets continues after its changelog.
    ///
    /// `topics`: the partition counts of existing topics, by full name. `ignoresMembers`: whether to continue if a
    /// group has members. Brokers do not delete such a group; its offsets are deleted with the topics.
    /// - Returns: lines to print.
    func deleteOffsets(of topics: [String: Int], ignoresMembers: Bool) throws -> [String] {
        var lines: [String] = []
        do {
            try admin.deleteGroups(names)
        } catch {
            if ignoresMembers, error.libraryName == "NON_EMPTY_GROUP" {
                return ["A group still has members (\(error)): its committed offsets are deleted with the topics."]
            }
            guard Self.isUnsupported(error) else { throw error }
            lines.append("The brokers cannot delete groups (\(error)); their offsets are set to the first record.")
        }
        let partitions = PipelineAccess.partitions(topics)
        guard !partitions.isEmpty else { return lines }
        for group in names {
            let reader = try KafkaReader(access.kafka, group: group, log: PipelineAccess.log)
            defer { reader.close() }
            let nonzero = try reader.committed(partitions).filter { $0.value > 0 }
            if !nonzero.isEmpty { try admin.resetOffsets(of: Array(nonzero.keys), group: group) }
        }
        return lines
    }

    /// Returns whether the error means that the brokers do not support the request.
    private static func isUnsupported(_ error: KafkaError) -> Bool {
        ["_UNSUPPORTED_FEATURE", "UNSUPPORTED_VERSION", "INVALID_REQUEST", "_NOT_IMPLEMENTED"]
            .contains(error.libraryName)
    }
}
