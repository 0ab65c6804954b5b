/// What the stores hold of a run.
struct StoreCounts: Sendable, Equatable {
    /// Rows of one history table, and how many different events they are of.
    struct Rows: Sendable, Equatable {
        var all = 0
        var distinct = 0

        var doubled: Int { all - distinct }
    }

    var locations = Rows()
    var warnings = Rows()
    var tripEvents = Rows()
    /// Drivers of the run with a key in Redis.
    var drivers = 0
    /// Drivers whose position was accepted and who have no key in Redis.
    var missingDrivers = 0
    /// Whether the history keeps only a sample of accepted fixes.
    var isSampled = false
}
