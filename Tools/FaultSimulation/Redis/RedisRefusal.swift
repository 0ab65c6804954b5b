/// A state in which the server rejects commands.
enum RedisRefusal: CaseIterable {
    /// The server loads its data after a start.
    case loading
    /// The memory limit is reached: commands that may add data fail.
    case outOfMemory
    /// The last snapshot could not be saved: writes fail.
    case cannotSave
    /// The server is a replica: writes fail.
    case readOnly

    /// Returns the error reply to a command; `nil` if the server executes it.
    ///
    /// `queue` contains the commands of an open transaction.
    func error(for operation: RedisOperation, queue: [RedisOperation]?) -> String? {
        let queued = operation.name == "EXEC" ? queue ?? [] : []
        let operations = [operation] + queued
        switch self {
        case .loading:
            guard !operation.worksWhileLoading || queued.contains(where: { !$0.worksWhileLoading }) else { return nil }
            return "LOADING Redis is loading the dataset in memory"
        case .outOfMemory:
            // Queued commands consume memory.
            let isQueued = queue != nil && !["EXEC", "DISCARD"].contains(operation.name)
            guard isQueued || operations.contains(where: \.needsMemory) else { return nil }
            return "OOM command not allowed when used memory > 'maxmemory'."
        case .cannotSave:
            guard operation.name == "PING" || operations.contains(where: \.isWrite) else { return nil }
            return "MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist to disk. "
                + "Commands that may modify the data set are disabled, because this instance is configured to report "
                + "errors during writes if RDB snapshotting fails (stop-writes-on-bgsave-error option). "
                + "Please check the Redis logs for details about the RDB error."
        case .readOnly:
            guard operations.contains(where: \.isWrite) else { return nil }
            return "READONLY You can't write against a read only replica."
        }
    }
}
