/// The partitions are or will be assigned to another process, so all work on them is dropped; handled by the worker.
struct PartitionsLost: Error {
    enum Cause: String {
        case group = "Group session ended and partitions lost"
        case sleep = "Process was suspended for about its session timeout"
        case poll = "Maximum poll interval nearly exceeded"
        case undelivered = "Partitions revoked before all outputs were acknowledged"
    }

    var cause: Cause
}
