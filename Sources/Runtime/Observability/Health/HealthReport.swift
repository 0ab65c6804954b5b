/// How a worker is, as its endpoint answers.
package struct HealthReport: Sendable, Equatable {
    /// Whether the worker's thread makes progress; `false` tells an orchestrator to start the process anew.
    package var isAlive: Bool
    /// Whether the worker does its work now.
    package var isReady: Bool
    /// One sentence for an operator where something is wrong; `nil` when all is well.
    package var reason: String?
    package var partitions: [PartitionStatus]

    package init(isAlive: Bool = true, isReady: Bool, reason: String? = nil, partitions: [PartitionStatus] = []) {
        self.isAlive = isAlive
        self.isReady = isReady
        self.reason = reason
        self.partitions = partitions
    }

    /// The answer of `/readyz`.
    ///
    /// `{"ready":false,"reason":"…","partitions":[{"topic":"driver.locations.raw","partition":3,"state":"running"}]}`, with
    /// `unacknowledged_seconds` where a partition waits for the acknowledgement of its outputs, and `misplaced_keys` where
    /// records were noticed that belong to another partition; `advice` then says what to do about those.
    package var readinessJSON: String {
        var json = "{\"ready\":\(isReady)"
        appendReason(to: &json)
        json += ",\"partitions\":["
        for (index, partition) in partitions.enumerated() {
            json += index > 0 ? ",{\"topic\":" : "{\"topic\":"
            JSONText.append(partition.topic, to: &json)
            json += ",\"partition\":\(partition.partition),\"state\":\"\(partition.state.rawValue)\""
            if let seconds = partition.unacknowledgedSeconds { json += ",\"unacknowledged_seconds\":\(seconds)" }
            if partition.misplacedKeys > 0 { json += ",\"misplaced_keys\":\(partition.misplacedKeys)" }
            json += "}"
        }
        json += "]"
        if partitions.contains(where: { $0.misplacedKeys > 0 }) {
            json += ",\"advice\":"
            JSONText.append(Self.partitionerAdvice, to: &json)
        }
        return json + "}"
    }

    /// What to do about records in another partition than their key belongs to.
    static let partitionerAdvice =
        "A producer writes records to another partition than their key belongs to, so that trips get no arrival times: "
        + "set partitioner=murmur2_random in producers that use librdkafka; the log names topic and partitions."

    /// The answer of `/healthz`.
    ///
    /// `{"alive":true,"program":"location-worker","version":"0.1.0"}`, with the reason where it is false.
    package func livenessJSON(build: BuildInfo) -> String {
        var json = "{\"alive\":\(isAlive)"
        if !isAlive { appendReason(to: &json) }
        json += ",\"program\":"
        JSONText.append(build.name, to: &json)
        json += ",\"version\":"
        JSONText.append(build.version, to: &json)
        return json + "}"
    }

    private func appendReason(to json: inout String) {
        guard let reason else { return }
        json += ",\"reason\":"
        JSONText.append(reason, to: &json)
    }
}
