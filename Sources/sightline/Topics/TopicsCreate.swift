import ArgumentParser
import Kafka
import Model
import Recordings
import Runtime

/// `sightline topics create`: makes the topics that are missing, all with the same number of partitions.
struct TopicsCreate: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create", abstract: "Create the topics that are missing; those that exist are left as they are.",
        discussion: """
            All topics of the pipeline need the same number of partitions: a record stays on the partition \
            number of the raw record it came from. The number bounds how many workers of a kind can share the work, and \
            cannot be changed later without losing the order of each driver: choose it with room to grow.

            With three copies of each record or more, a write is acknowledged once two have it \
            (min.insync.replicas), so that what was acknowledged survives the loss of a broker. On the two topics that \
            others write (driver.locations.raw, trips) brokers refuse records that are dated more than an hour ahead of \
            their own clock (message.timestamp.after.max.ms, from Kafka 3.6 on). Settings of topics that exist are \
            compared, and what differs is printed; `kafka-configs --alter --entity-type topics` changes it.
            """)

    @Option(help: "Partitions of every topic; those that exist decide when it is not given, else 6.")
    var partitions: Int?

    @OptionGroup var new: NewTopicOptions

    @OptionGroup var wait: WaitOptions

    func validate() throws { try NewTopicOptions.validate(partitions: partitions) }

    func run() throws {
        let access = try PipelineAccess()
        for line in try wait.retry(while: TopicCreation.mayPass, { try create(access) }) { print(line) }
    }

    /// Creates what is missing.
    ///
    /// - Returns: what was done and what differs, a line each.
    private func create(_ access: PipelineAccess) throws -> [String] {
        // While it waits, the error of the last attempt says all.
        let silent: KafkaLogHandler = { _ in }
        let admin = try KafkaAdmin(access.kafka, log: wait.seconds > 0 ? silent : PipelineAccess.log)
        let names = PipelineTopic.allCases.map { access.name(of: $0) }
        let existing = try admin.partitionCounts(of: names)
        let partitions = try decidePartitions(names, existing)
        let missing = PipelineTopic.allCases.filter { existing[access.name(of: $0)] == nil }
        let creation = TopicCreation(access, admin, new)
        let (created, notes) = try creation.create(missing, partitions: partitions)
        let others = PipelineTopic.allCases.filter { existing[access.name(of: $0)] != nil }
        return notes + created.map { "created \($0) with \(partitions) partitions" }
            + differences(of: others, access, admin, creation.minimumInSync)
            + ["\(existing.count) topics were there, \(created.count) created"]
    }

    /// What is otherwise with topics that exist than it would be had this command created them, a line each.
    private func differences(
        of topics: [PipelineTopic], _ access: PipelineAccess, _ admin: KafkaAdmin, _ minimumInSync: Int
    ) -> [String] {
        guard !topics.isEmpty else { return [] }
        let found: [String: [String: String]]
        do {
            found = try admin.settings(of: topics.map { access.name(of: $0) })
        } catch {
            return ["The settings of the topics that exist are not compared: \(error)"]
        }
        let short = Self.shortNotes(found) { access.name(of: $0) }
        let others = topics.flatMap { topic in
            let name = access.name(of: topic)
            let settings = found[name] ?? [:]
            var wanted = topic.brokerSettings(minimumInSync: minimumInSync)
            // Topics may have more copies than the cluster's default; more in sync than that asks for is no fault.
            if new.minInsyncReplicas == nil, settings["min.insync.replicas"].flatMap({ Int($0) }) ?? 0 > minimumInSync {
                wanted["min.insync.replicas"] = nil
            }
            return TopicDifference.find(wanted: wanted, found: settings).map { "\(name): \($0)" }
        }
        return short + others
    }

    /// What to do about topics that are kept for a shorter time than the raw locations, a line each.
    ///
    /// `found`: the settings of topics by full name.
    static func shortNotes(
        _ found: [String: [String: String]], name: (PipelineTopic) -> String
    ) -> [String] {
        var retention: [PipelineTopic: Int64] = [:]
        for topic in PipelineTopic.allCases {
            retention[topic] = found[name(topic)]?[PipelineTopic.retentionSetting].flatMap { Int64($0) }
        }
        let raw = retention[.rawLocations].map { "\($0)" } ?? ""
        return PipelineTopic.keptTooShort(retention).map { topic in
            "\(name(topic)) is kept for a shorter time than \(name(.rawLocations)): run `kafka-configs --alter "
                + "--entity-type topics --entity-name \(name(topic)) --add-config \(PipelineTopic.retentionSetting)=\(raw)`"
        }
    }

    private func decidePartitions(_ names: [String], _ existing: [String: Int]) throws -> Int {
        let counts = Set(existing.values)
        guard counts.count <= 1 else {
            let list = names.compactMap { name in existing[name].map { "\(name) has \($0)" } }.joined(separator: ", ")
            throw InputError(
                "The topics that exist have different numbers of partitions: \(list). Delete those that are wrong (their "
                    + "records go with them) and run this again.")
        }
        guard let found = counts.first else { return partitions ?? 6 }
        if let partitions, partitions != found {
            throw InputError(
                "The topics that exist have \(found) partitions, not \(partitions). Omit --partitions to create the missing ones "
                    + "alike, or set SIGHTLINE_TOPIC_PREFIX to begin a second set.")
        }
        return found
    }
}
