import ArgumentParser
import Foundation
import Kafka
import Recordings

/// `sightline topics recreate`: deletes and recreates the topics and all stored offsets.
struct TopicsRecreate: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "recreate",
        abstract: "Delete and recreate all topics, and reset the stored progress.",
        discussion: """
            Stores and consumer groups contain offsets and event ids of the topics. Both start at 0 in new topics, so \
            stores would treat new events as old ones. This command resets everything together:

              1. It exits with an error if a worker is a member of its consumer group or a gateway runs. Stop all workers, \
            gateways and producers first.
              2. It deletes the committed offsets of the workers' groups.
              3. It deletes all topics under SIGHTLINE_TOPIC_PREFIX, and waits until the brokers no longer list them.
              4. It deletes the progress of the sinks: in Redis the keys progress:*, trip:* and route:* under \
            SIGHTLINE_REDIS_PREFIX, in Postgres the rows of sink_progress.
              5. It creates the topics with the previous partition count and replication factor, and the settings of this \
            version.

            Driver positions in Redis and the history in Postgres are kept. Unread records are lost with the topics: to \
            lose none, stop the producers, run `sightline audit`, and then stop the workers.

            After an interruption no worker starts, because topics are missing: run the command again, not `topics \
            create`. If no topic is left, it needs --partitions and --replication.

            Exit code: 0 if it is done, 1 after an error, 2 without --yes, which changes nothing.
            """)

    @Option(help: "Partitions of every topic; by default the previous number.")
    var partitions: Int?

    @OptionGroup var new: NewTopicOptions

    @Flag(help: "Apply the changes; without it, print the plan and exit with 2.")
    var yes = false

    @Flag(help: "Do not access Redis; use it only if no position-worker or push-worker writes to it, or it is empty.")
    var skipRedis = false

    @Flag(help: "Do not access Postgres; use it only if no history-worker writes to it, or if it is empty.")
    var skipPostgres = false

    @Flag(help: "Do not check for running workers; use it only if a broker lists workers that no longer exist.")
    var ignoreMembers = false

    @Flag(
        help: """
            Do not check Redis for running gateways; use it only if all are stopped. Required with --skip-redis. The \
            check does not find a driver-gateway without Redis.
            """)
    var gatewaysStopped = false

    @Option(
        help: ArgumentHelp(
            "Time limit for the deletion, and again for the creation.", valueName: "seconds"))
    var timeout = 60.0

    /// Returns the command to repeat after the topics have been deleted.
    private func command(_ plan: RecreatePlan) -> String {
        var words = ["sightline topics recreate --yes --partitions \(plan.partitions)"]
        if let copies = new.replication ?? plan.replicas { words.append("--replication \(copies)") }
        if let minimum = new.minInsyncReplicas { words.append("--min-insync-replicas \(minimum)") }
        if skipRedis { words.append("--skip-redis") }
        if skipPostgres { words.append("--skip-postgres") }
        if ignoreMembers { words.append("--ignore-members") }
        if gatewaysStopped { words.append("--gateways-stopped") }
        return words.joined(separator: " ")
    }

    func validate() throws {
        try NewTopicOptions.validate(partitions: partitions)
        guard (1...3600).contains(timeout) else { throw ValidationError("--timeout must be 1 to 3600 seconds.") }
    }

    func run() throws {
        let access = try PipelineAccess()
        let admin = try KafkaAdmin(access.kafka, log: PipelineAccess.log)
        let groups = PipelineGroups(access, admin)
        let notes = ignoreMembers ? [] : try groups.requireNoMembers()
        // Without --yes nothing is deleted, so --skip-redis may also skip this check.
        if !gatewaysStopped, yes || !skipRedis { try RunningGateways.requireNone(access, skipsRedis: skipRedis) }
        let plan = try RecreatePlan(access, admin, partitions: partitions, replication: new.replication)
        let stores = try StoredProgress(access, skipsRedis: skipRedis, skipsPostgres: skipPostgres)
        let copies = (new.replication ?? plan.replicas).map { " and replication factor \($0)" } ?? ""
        print(
            yes
                ? "Deleting; the new topics have \(plan.partitions) partitions\(copies):" : "This would be deleted:")
        for line in plan.lines + (try stores.describe()) { print("  \(line)") }
        for note in notes { print(note) }
        guard yes else {
            print(
                "Nothing was changed. --yes deletes all of it, and creates the topics with "
                    + "\(plan.partitions) partitions\(copies).")
            throw ExitCode(2)
        }
        try stores.requireRights()
        // After an interruption, the printed numbers are needed to run the command again.
        fflush(nil)
        var recreation = TopicRecreation(
            access: access, admin: admin, plan: plan, options: new, timeout: .seconds(timeout),
            ignoresMembers: ignoreMembers)
        do {
            try recreation.run(groups, stores)
        } catch {
            guard recreation.hasBegun else { throw error }
            throw InputError(
                "\(error) The topics are incomplete. Run `\(command(plan))` before you start workers or run "
                    + "`sightline topics create`.")
        }
    }
}
