import Foundation
import Kafka
import Model
import Recordings

/// Deletes the pipeline's topics and creates them anew, with what the stores and groups know of them.
///
/// The order makes it safe to be interrupted anywhere, and to be run again from its beginning:
///
/// 1. The groups' offsets go first. A stage without them continues at the end of its changelog, so that this alone
///    changes nothing.
/// 2. The topics go before the stores' progress: a sink without its progress would write old topics a second time.
/// 3. The stores' progress goes before the topics are created: a sink with its old progress would skip new records. In
///    between topics are missing, and no worker starts without them.
///
/// Belongs to one thread.
struct TopicRecreation {
    let access: PipelineAccess
    let admin: KafkaAdmin
    let plan: RecreatePlan
    let options: NewTopicOptions
    /// How long the brokers may take to delete the topics, and to create them.
    let timeout: Duration
    /// Whether to go on although brokers count members of the workers' groups.
    let ignoresMembers: Bool
    /// Whether topics may have been deleted.
    private(set) var hasBegun = false
    private let stop = StopSignal()
    private var progress = ProgressLine()

    init(
        access: PipelineAccess, admin: KafkaAdmin, plan: RecreatePlan, options: NewTopicOptions, timeout: Duration,
        ignoresMembers: Bool
    ) {
        self.access = access
        self.admin = admin
        self.plan = plan
        self.options = options
        self.timeout = timeout
        self.ignoresMembers = ignoresMembers
    }

    /// Does it all, and says what was done.
    mutating func run(_ groups: PipelineGroups, _ stores: StoredProgress) throws {
        defer { progress.clear() }
        say(
            try groups.forgetOffsets(of: plan.existing, ignoresMembers: ignoresMembers)
                + ["deleted the committed offsets of the workers' groups"])
        try stop.check()
        hasBegun = true
        say(try deleteTopics())
        try stop.check()
        // A worker that was started meanwhile would write its progress again.
        if !ignoresMembers { say(try groups.requireNoMembers()) }
        var shown = progress
        say(try stores.delete { text in shown.show { text } })
        shown.clear()
        try stop.check()
        say(try createTopics())
    }

    private mutating func say(_ lines: [String]) {
        progress.clear()
        for line in lines { print(line) }
    }

    private var names: [String] { PipelineTopic.allCases.map { access.name(of: $0) } }

    /// Deletes the topics and waits until the brokers list none of them.
    private mutating func deleteTopics() throws -> [String] {
        let deleted = try admin.delete(names.filter { plan.existing[$0] != nil })
        let deadline = ContinuousClock.now + timeout
        while case let left = try remaining(until: deadline), !left.isEmpty {
            guard ContinuousClock.now < deadline else {
                throw InputError(
                    "These topics are still there after \(timeout): \(left.keys.sorted().joined(separator: ", ")). Brokers "
                        + "delete topics only with delete.topic.enable=true, and with auto.create.topics.enable=true "
                        + "clients that still run create them again: stop those.")
            }
            progress.show { "waiting for the brokers to delete \(left.count) topics" }
            try pause()
        }
        return ["deleted \(deleted.count) topics"]
    }

    /// The topics that brokers list; all of them while no broker answers, until the deadline.
    private func remaining(until deadline: ContinuousClock.Instant) throws -> [String: Int] {
        do {
            return try admin.partitionCounts(of: names)
        } catch {
            guard WaitOptions.isRetriable(error), ContinuousClock.now < deadline else { throw error }
            return plan.existing
        }
    }

    /// Creates the topics, and makes sure that all of them are there as they should be.
    private mutating func createTopics() throws -> [String] {
        let creation = TopicCreation(access, admin, options, replication: plan.replicas)
        let deadline = ContinuousClock.now + timeout
        var notes: [String] = []
        while true {
            do {
                let missing = try missingTopics()
                if missing.isEmpty { break }
                // A topic that is gone from the list may still be in the way for a moment; then it is not created.
                notes = try creation.create(missing, partitions: plan.partitions).notes
            } catch  where TopicCreation.mayPass(error) && ContinuousClock.now < deadline {}
            guard ContinuousClock.now < deadline else {
                throw InputError("The brokers have not created the topics within \(timeout).")
            }
            progress.show { "waiting for the brokers to create the topics" }
            try pause()
        }
        return notes + ["created \(names.count) topics with \(plan.partitions) partitions"]
    }

    /// The topics that do not exist.
    /// - Throws: ``InputError`` where one exists with another number of partitions.
    private func missingTopics() throws -> [PipelineTopic] {
        let counts = try admin.partitionCounts(of: names)
        let wrong = counts.filter { $0.value != plan.partitions }.map { "\($0.key) has \($0.value)" }.sorted()
        guard wrong.isEmpty else {
            throw InputError(
                "A client has created topics meanwhile, with another number of partitions: "
                    + "\(wrong.joined(separator: ", ")). Stop the producers, or set auto.create.topics.enable=false.")
        }
        return PipelineTopic.allCases.filter { counts[access.name(of: $0)] == nil }
    }

    private func pause() throws {
        stop.wait(milliseconds: 200)
        try stop.check()
    }
}
