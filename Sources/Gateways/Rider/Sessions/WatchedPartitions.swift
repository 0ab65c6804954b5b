/// The partitions that the intake was asked for on behalf of a subscription, each once.
struct WatchedPartitions {
    private(set) var partitions: Set<Int32> = []
    /// Requests to watch that are to be taken back in the end.
    private(set) var requests = 0

    /// Counts a request to watch `new`.
    /// - Returns: those of them that were asked for before; a request for these is to be taken back now.
    mutating func add(_ new: some Collection<Int32>) -> [Int32] {
        let again = partitions.intersection(new)
        partitions.formUnion(new)
        if again.isEmpty { requests += 1 }
        return again.sorted()
    }
}
