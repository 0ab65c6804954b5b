/// The lanes are somebody else's, or will be in a moment: whatever was being done with them is given up.
///
/// Never leaves the worker.
struct LanesLost: Error {
    enum Cause: String {
        case group = "The group has taken the lanes away"
        case sleep = "The process was stopped for longer than its session lasts"
    }

    var cause: Cause
}
