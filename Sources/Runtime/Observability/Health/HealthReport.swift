/// Health of a worker, as reported by its endpoint.
package struct HealthReport: Sendable, Equatable {
    /// Whether the worker's thread makes progress; if `false`, an orchestrator restarts the process.
    package var isAlive = true
    package var isReady: Bool
    /// The problem, as one sentence for an operator; `nil` for none.
    package var reason: String?
    package var partitions: [PartitionStatus] = []

    /// The response of `/readyz`.
    ///
    /// `{"ready":false,"reason":"…","partitions":[{"topic":"driver.locations.raw","partition":3,"state":"running"}]}`,
    /// with `unacknowledged_seconds` if a partition waits for acknowledgements, and with `misplaced_keys` and `advice`
    /// if records have a key that belongs to another partition.
    package var readinessJSON: String {
        let advice =
            partitions.contains { $0.misplacedKeys > 0 }
            ? ",\"advice\":\(JSONText.quoted(Self.partitionerAdvice))" : ""
        let list = partitions.map(Self.json).joined(separator: ",")
        return "{\"ready\":\(isReady)\(reasonJSON),\"partitions\":[\(list)]\(advice)}"
    }

    private static func json(_ partition: PartitionStatus) -> String {
        var json = "{\"topic\":\(JSONText.quoted(partition.topic)),\"partition\":\(partition.partition)"
        json += ",\"state\":\"\(partition.state.rawValue)\""
        if let seconds = partition.unacknowledgedSeconds { json += ",\"unacknowledged_seconds\":\(seconds)" }
        if partition.misplacedKeys > 0 { json += ",\"misplaced_keys\":\(partition.misplacedKeys)" }
        return json + "}"
    }

    static let partitionerAdvice =
        "Record keys do not match their partitions, so trips get no arrival times: "
        + "set partitioner=murmur2_random in producers that use librdkafka; the log has the topic and partitions."

    /// Returns the response of `/healthz`.
    ///
    /// `{"alive":true,"program":"location-worker","version":"0.1.0"}`, with the reason if `alive` is `false`.
    package func livenessJSON(build: BuildInfo) -> String {
        let program = "\"program\":\(JSONText.quoted(build.name)),\"version\":\(JSONText.quoted(build.version))"
        return "{\"alive\":\(isAlive)\(isAlive ? "" : reasonJSON),\(program)}"
    }

    private var reasonJSON: String { reason.map { ",\"reason\":\(JSONText.quoted($0))" } ?? "" }
}

extension HealthReport {
    /// Reports a worker without progress for longer than `stuckAfter` as not alive.
    init(_ snapshot: WorkerStatus.Snapshot, stuckAfter: Duration) {
        let isAlive = snapshot.lastProgress.duration(to: .now) < stuckAfter
        self.init(
            isAlive: isAlive, isReady: isAlive && snapshot.isReady,
            reason: isAlive ? snapshot.reason : "The worker's thread makes no progress.",
            partitions: snapshot.partitions)
    }
}
