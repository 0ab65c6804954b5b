import Domain
import Kafka
import Recordings

/// Deletion and creation of the topics, and deletion of committed offsets and of the progress of sinks.
///
/// The order of the steps makes the command safe to interrupt and repeat:
///
/// 1. The committed offsets are deleted first. A processor without them continues at the end of its changelog, so
///    their deletion alone changes nothing.
/// 2. The topics are deleted before the progress of sinks, because a sink without progress would write old records
///    again.
/// 3. The progress is deleted before the topics are created, because a sink with old progress would skip new records.
///    No worker starts while topics are missing.
///
/// Use on one thread only.
struct TopicRecreation {
    let access: PipelineAccess
    let admin: KafkaAdmin
    let plan: RecreatePlan
    let options: NewTopicOptions
    /// Time limit for the deletion, and again for the creation.
    let timeout: Duration
    /// Whether to continue although groups have members.
    let ignoresMembers: Bool
    /// Whether topics may have been deleted.
    private(set) var hasBegun = false
    let stop = StopSignal()
    private(set) var progress = ProgressLine()

    /// Runs all steps and prints the results.
    mutating func run(_ groups: PipelineGroups, _ stores: StoredProgress) throws {
        defer { progress.clear() }
        printLines(
            try groups.deleteOffsets(of: plan.existing, ignoresMembers: ignoresMembers)
                + ["deleted the committed offsets of the workers' groups"])
        try stop.check()
        hasBegun = true
        printLines(try deleteTopics())
        try stop.check()
        // A worker that was started since the first check would write its progress again.
        if !ignoresMembers { printLines(try groups.requireNoMembers()) }
        var shown = progress
        printLines(try stores.delete { text in shown.show { text } })
        shown.clear()
        try stop.check()
        printLines(try createTopics())
    }

    private mutating func printLines(_ lines: [String]) {
        progress.clear()
        for line in lines { print(line) }
    }

    /// Deletes the topics and waits until the brokers no longer list them.
    private mutating func deleteTopics() throws -> [String] {
        let deleted = try admin.delete(access.names.filter { plan.existing[$0] != nil })
        let deadline = ContinuousClock.now + timeout
        while case let existing = try remaining(until: deadline), !existing.isEmpty {
            guard ContinuousClock.now < deadline else {
                throw InputError(
                    "These topics still exist after \(timeout): \(existing.keys.sorted().joined(separator: ", ")). "
                        + "Brokers delete topics only with delete.topic.enable=true. With "
                        + "auto.create.topics.enable=true, stop all clients, which create them again.")
            }
            progress.show { "waiting for the brokers to delete \(existing.count) topics" }
            try pause()
        }
        return ["deleted \(deleted.count) topics"]
    }

    /// Returns the topics that still exist; all of them while no broker responds, until the deadline.
    private func remaining(until deadline: ContinuousClock.Instant) throws -> [String: Int] {
        do {
            return try admin.partitionCounts(of: access.names)
        } catch {
            guard WaitOptions.isRetriable(error), ContinuousClock.now < deadline else { throw error }
            return plan.existing
        }
    }

    /// Creates the topics, and waits until all of them exist.
    private mutating func createTopics() throws -> [String] {
        let creation = TopicCreation(access, admin, options, replication: plan.replicas)
        let deadline = ContinuousClock.now + timeout
        var notes: [String] = []
        while true {
            do {
                let missing = try missingTopics()
                if missing.isEmpty { break }
                // Shortly after the deletion, creation can fail; it is then repeated.
                notes = try creation.create(missing, partitions: plan.partitions).notes
            } catch  where TopicCreation.isTransient(error) && ContinuousClock.now < deadline {}
            guard ContinuousClock.now < deadline else {
                throw InputError("The brokers did not create the topics within \(timeout).")
            }
            progress.show { "waiting for the brokers to create the topics" }
            try pause()
        }
        return notes + ["created \(access.names.count) topics with \(plan.partitions) partitions"]
    }

    /// Returns the missing topics.
    /// - Throws: ``InputError`` if a topic has another number of partitions.
    private func missingTopics() throws -> [PipelineTopic] {
        let counts = try admin.partitionCounts(of: access.names)
        let wrong = counts.filter { $0.value != plan.partitions }.map { "\($0.key) has \($0.value)" }.sorted()
        guard wrong.isEmpty else {
            throw InputError(
                "A client has created topics with another number of partitions: "
                    + "\(wrong.joined(separator: ", ")). Stop the producers, or set auto.create.topics.enable=false.")
        }
        return PipelineTopic.allCases.filter { counts[access.name(of: $0)] == nil }
    }

    private func pause() throws {
        stop.wait(milliseconds: 200)
        try stop.check()
    }
}
