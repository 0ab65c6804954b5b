import ArgumentParser

/// How topics are created, for the commands that create them.
struct NewTopicOptions: ParsableArguments {
    @Option(help: "Copies of each record; the cluster's own default when it is not given.")
    var replication: Int?

    @Option(
        help: """
            In-sync replicas that must have a record before it is acknowledged; when it is not given, 2 where there \
            are three copies or more, else 1.
            """)
    var minInsyncReplicas: Int?

    func validate() throws {
        if let replication, !(1...16).contains(replication) { throw ValidationError("--replication is 1 to 16.") }
        if let minInsyncReplicas, !(1...(replication ?? 16)).contains(minInsyncReplicas) {
            throw ValidationError(
                "--min-insync-replicas is 1 to \(replication ?? 16): no write would ever have more copies.")
        }
    }

    /// Refuses a number of partitions that no topic may have.
    static func validate(partitions: Int?) throws {
        if let partitions, !(1...10_000).contains(partitions) { throw ValidationError("--partitions is 1 to 10000.") }
    }
}
