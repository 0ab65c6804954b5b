/// Committed rows, and a log of the commits that a crash may undo.
struct PostgresStore {
    /// Day partition of a table; `day` counts from 1970-01-01.
    struct Day: Hashable {
        let table: String
        let day: Int
    }

    private struct Commit {
        let time: Int64
        /// Whether the commit waited until it was on disk, with all earlier ones.
        let isSynchronous: Bool
        let progressBefore: [ProgressKey: ProgressRow?]
        /// The ids of the added rows.
        let added: Range<Int>
        let deleted: [HistoryRow]
        let createdDays: [Day]
        let droppedDays: [Day]
    }

    private(set) var progress: [ProgressKey: ProgressRow] = [:]
    /// Rows of the history tables by name of the table.
    private(set) var rows: [String: [HistoryRow]] = [:]
    private(set) var days: Set<Day> = []
    private var commits: [Commit] = []
    private var nextID = 1

    /// Applies the changes of a transaction.
    mutating func commit(_ transaction: PostgresTransaction, at time: Int64, isSynchronous: Bool) {
        guard transaction.hasChanges else { return }
        let first = nextID
        for var row in transaction.rows {
            row.id = nextID
            nextID += 1
            rows[row.layout.table.name, default: []].append(row)
        }
        remove(transaction.deletedRows)
        let before = Dictionary(uniqueKeysWithValues: transaction.progress.keys.map { ($0, progress[$0]) })
        for (key, row) in transaction.progress { progress[key] = row }
        days.formUnion(transaction.createdDays)
        days.subtract(transaction.droppedDays)
        commits.append(
            Commit(
                time: time, isSynchronous: isSynchronous, progressBefore: before, added: first..<nextID,
                deleted: transaction.deletedRows, createdDays: transaction.createdDays,
                droppedDays: transaction.droppedDays))
    }

    /// Undoes all commits after `time`, as a crash does that loses the end of the write-ahead log.
    ///
    /// `keepsSynchronous`: whether commits up to the last synchronous one stay.
    /// - Returns: the number of lost commits.
    mutating func loseCommits(after time: Int64, keepsSynchronous: Bool) -> Int {
        var count = 0
        while let last = commits.last, last.time > time, !(keepsSynchronous && last.isSynchronous) {
            undo(last)
            commits.removeLast()
            count += 1
        }
        return count
    }

    private mutating func undo(_ commit: Commit) {
        for (key, row) in commit.progressBefore { progress[key] = row }
        if !commit.added.isEmpty {
            for table in Array(rows.keys) { rows[table]?.removeAll { commit.added.contains($0.id) } }
        }
        for row in commit.deleted { rows[row.layout.table.name, default: []].append(row) }
        days.subtract(commit.createdDays)
        days.formUnion(commit.droppedDays)
    }

    private mutating func remove(_ deleted: [HistoryRow]) {
        guard !deleted.isEmpty else { return }
        let ids = Set(deleted.map(\.id))
        for table in Array(rows.keys) { rows[table]?.removeAll { ids.contains($0.id) } }
    }
}
