/// The partitions are somebody else's, or will be in a moment: whatever was being done with them is given up.
///
/// Never leaves the worker.
struct PartitionsLost: Error {
    enum Cause: String {
        case group = "The session with the group has ended, and the partitions are lost"
        case sleep = "The process was stopped for about as long as its session lasts"
        case undelivered = "Partitions go to another process before all of their outputs were acknowledged"
    }

    var cause: Cause
}
