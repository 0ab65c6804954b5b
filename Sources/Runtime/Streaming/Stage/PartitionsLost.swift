/// The partitions belong to another process, or will in a moment: all work on them is dropped.
///
/// Never leaves the worker.
struct PartitionsLost: Error {
    enum Cause: String {
        case group = "The session with the group has ended, and the partitions are lost"
        case sleep = "The process was stopped for about as long as its session lasts"
        case poll = "The group was not polled for about as long as it waits for that"
        case undelivered = "Partitions go to another process before all of their outputs were acknowledged"
    }

    var cause: Cause
}
