/// The lanes are somebody else's, or will be in a moment: whatever was being done with them is given up.
///
/// Never leaves the worker.
struct LanesLost: Error {
    enum Cause: String {
        case group = "The session with the group has ended, and the lanes are lost"
        case sleep = "The process was stopped for about as long as its session lasts"
        case undelivered = "Lanes go to another process before all of their outputs were acknowledged"
    }

    var cause: Cause
}
