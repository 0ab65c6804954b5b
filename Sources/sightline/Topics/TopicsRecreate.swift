import ArgumentParser
import Foundation
import Kafka
import Recordings

/// `sightline topics recreate`: deletes the topics and all that names their offsets, and creates them anew.
struct TopicsRecreate: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "recreate",
        abstract: "Delete all topics with their records, and create them anew together with the stores' progress.",
        discussion: """
            Stores and consumer groups remember offsets and events of the topics. In topics that are created anew both \
            begin at 0, so that a store would take new events for old ones. This command does all that belongs together, \
            in this order:

              1. It refuses while a worker is a member of its consumer group or a gateway runs. Stop all workers, gateways \
            and producers.
              2. It deletes the committed offsets of the workers' groups.
              3. It deletes all topics of the pipeline under SIGHTLINE_TOPIC_PREFIX, and waits until they are gone.
              4. It deletes the progress of the sinks: in Redis the keys progress:*, trip:* and route:* under \
            SIGHTLINE_REDIS_PREFIX, in Postgres the rows of sink_progress.
              5. It creates the topics, with as many partitions and replicas as before and this version's settings.

            Drivers' positions in Redis and the history in Postgres stay. Records that a worker has not read are lost \
            with the topics: to lose none, stop the producers first, run `sightline audit`, and then stop the workers.

            If it is interrupted, no worker starts, because topics are missing: run it again, not `topics create`. Where \
            no topic is left by then, it needs --partitions and --replication.

            Without --yes it prints what it would delete, and changes nothing.

            Exit code: 0 when it is done, 1 when it is not, 2 when nothing was changed because --yes is missing.
            """)

    @Option(help: "Partitions of every topic; as many as the topics have when it is not given.")
    var partitions: Int?

    @OptionGroup var new: NewTopicOptions

    @Flag(help: "Do it. Without this, print what would be deleted and exit with 2.")
    var yes = false

    @Flag(help: "Leave Redis as it is: right only where no position-worker writes to it, or where it is empty.")
    var skipRedis = false

    @Flag(help: "Leave Postgres as it is: right only where no history-worker writes to it, or where it is empty.")
    var skipPostgres = false

    @Flag(help: "Do not ask whether workers run: right only where a broker goes on counting workers that are gone.")
    var ignoreMembers = false

    @Flag(
        help: """
            Do not look in Redis for running gateways: right only where all are stopped. Needed with --skip-redis; a \
            driver-gateway without Redis is not found either.
            """)
    var gatewaysStopped = false

    @Option(
        help: ArgumentHelp(
            "How many seconds the brokers may take to delete the topics, and to create them.", valueName: "seconds"))
    var timeout = 60.0

    /// The command that does the same once the topics no longer tell how they were.
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
        guard (1...3600).contains(timeout) else { throw ValidationError("--timeout is 1 to 3600 seconds.") }
    }

    func run() throws {
        let access = try PipelineAccess()
        let admin = try KafkaAdmin(access.kafka, log: PipelineAccess.log)
        let groups = PipelineGroups(access, admin)
        let notes = ignoreMembers ? [] : try groups.requireNoMembers()
        // Without --yes nothing is deleted, so that Redis may be left out.
        if !gatewaysStopped, yes || !skipRedis { try RunningGateways.requireNone(access, skipsRedis: skipRedis) }
        let plan = try RecreatePlan(access, admin, partitions: partitions, replication: new.replication)
        let stores = try StoredProgress(access, .init(skipsRedis: skipRedis, skipsPostgres: skipPostgres))
        let copies = (new.replication ?? plan.replicas).map { " and replication factor \($0)" } ?? ""
        print(
            yes
                ? "Deleting, to be created with \(plan.partitions) partitions\(copies):" : "This would be deleted:")
        for line in plan.lines + (try stores.describe()) { print("  \(line)") }
        for note in notes { print(note) }
        guard yes else {
            print(
                "Nothing was changed. With --yes all of it is deleted, and the topics are created with "
                    + "\(plan.partitions) partitions\(copies).")
            throw ExitCode(2)
        }
        try stores.requireRights()
        // Both numbers are needed again if this is killed.
        fflush(nil)
        var recreation = TopicRecreation(
            access: access, admin: admin, plan: plan, options: new, timeout: .seconds(timeout),
            ignoresMembers: ignoreMembers)
        do {
            try recreation.run(groups, stores)
        } catch {
            guard recreation.hasBegun else { throw error }
            throw InputError(
                "\(error) The topics are not all created anew. Run `\(command(plan))` before any worker is started, and "
                    + "before `sightline topics create`.")
        }
    }
}
