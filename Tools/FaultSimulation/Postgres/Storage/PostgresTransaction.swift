/// Transaction with its changes, which others see only after the commit, and its locks.
final class PostgresTransaction {
    /// Unix time of the start in microseconds: `now()`.
    let now: Int64
    /// Whether `BEGIN` started it; otherwise it ends with its statement.
    let isExplicit: Bool
    /// Whether a statement failed; only `ROLLBACK` and `COMMIT` are permitted then, and both roll back.
    private(set) var hasFailed = false
    /// New values of rows of `sink_progress`; `nil` for deleted rows.
    var progress: [ProgressKey: ProgressRow?] = [:]
    var rows: [HistoryRow] = []
    /// Rows that the retention deletes.
    var deletedRows: [HistoryRow] = []
    var createdDays: [PostgresStore.Day] = []
    var droppedDays: [PostgresStore.Day] = []
    /// Locks in the order in which they were granted.
    var locks: [PostgresLock] = []

    init(now: Int64, isExplicit: Bool) { (self.now, self.isExplicit) = (now, isExplicit) }

    var hasChanges: Bool {
        !(progress.isEmpty && rows.isEmpty && deletedRows.isEmpty && createdDays.isEmpty && droppedDays.isEmpty)
    }

    /// Today's date (UTC) as days since 1970.
    var today: Int { PostgresClock.day(of: now - PostgresClock.epochMicroseconds) }

    /// Discards the changes after an error.
    func fail() {
        hasFailed = true
        progress = [:]
        (rows, deletedRows) = ([], [])
        (createdDays, droppedDays) = ([], [])
    }
}
