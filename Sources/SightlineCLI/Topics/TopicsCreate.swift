import Recordings
import ArgumentParser
import Kafka
import Lanes

/// `sightline topics create`: makes the topics that are missing, all with the same number of lanes.
struct TopicsCreate: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create", abstract: "Create the topics that are missing; those that exist are left as they are.",
        discussion: """
            All topics of the pipeline need the same number of lanes (partitions): a record stays on the partition \
            number of the raw record it came from. The number bounds how many workers of a kind can share the work, and \
            cannot be changed later without losing the order of each driver: choose it with room to grow.
            """)

    @Option(help: "Lanes (partitions) of every topic; those that exist decide when it is not given, else 6.")
    var lanes: Int?

    @Option(help: "Copies of each record; the cluster's own default when it is not given.")
    var replication: Int?

    func validate() throws {
        if let lanes, !(1...10_000).contains(lanes) { throw ValidationError("--lanes is 1 to 10000.") }
        if let replication, !(1...16).contains(replication) { throw ValidationError("--replication is 1 to 16.") }
    }

    func run() throws {
        let access = try PipelineAccess()
        let admin = try KafkaAdmin(access.kafka, log: PipelineAccess.log)
        let names = PipelineTopic.allCases.map { access.name(of: $0) }
        let existing = try admin.partitionCounts(of: names)
        let lanes = try decideLanes(names, existing)
        let missing = PipelineTopic.allCases.filter { existing[access.name(of: $0)] == nil }
        let created = try admin.create(
            missing.map {
                KafkaAdmin.NewTopic(
                    name: access.name(of: $0), lanes: lanes, replication: replication ?? -1,
                    settings: $0.brokerSettings)
            })
        for name in created { print("created \(name) with \(lanes) lanes") }
        print("\(existing.count) topics were there, \(created.count) created")
    }

    private func decideLanes(_ names: [String], _ existing: [String: Int]) throws -> Int {
        let counts = Set(existing.values)
        guard counts.count <= 1 else {
            let list = names.compactMap { name in existing[name].map { "\(name) has \($0)" } }.joined(separator: ", ")
            throw InputError(
                "The topics that exist have different numbers of lanes: \(list). Delete those that are wrong (their "
                    + "records go with them) and run this again.")
        }
        guard let found = counts.first else { return lanes ?? 6 }
        if let lanes, lanes != found {
            throw InputError(
                "The topics that exist have \(found) lanes, not \(lanes). Leave --lanes away to create the missing ones "
                    + "alike, or set SIGHTLINE_TOPIC_PREFIX to begin a second set.")
        }
        return found
    }
}
