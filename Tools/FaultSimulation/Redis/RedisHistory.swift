/// Recent write commands, from which an earlier state of the data can be restored.
struct RedisHistory {
    struct Command {
        let database: Int
        let arguments: [[UInt8]]
    }

    /// Commands that were executed together.
    private struct Transaction {
        let time: Int64
        let commands: [Command]

        func apply(to data: inout RedisData) {
            for command in commands {
                data.setTime(time)
                data.database = command.database
                // Fails again in the same way if it failed before.
                _ = try? RedisOperation.named(command.arguments[0])?.execute?(&data, command.arguments)
            }
            data.removeChanges()
        }
    }

    /// Length of the history, in nanoseconds.
    private let length: Int64
    /// The data before the first transaction that is not in it.
    private var base = RedisData()
    private var transactions: [Transaction] = []
    /// Number of the first of ``transactions`` that are in ``base``.
    private var appliedCount = 0

    init(length: Int64) { self.length = length }

    /// Adds commands that were executed together at a virtual time.
    mutating func append(_ commands: [Command], at time: Int64) {
        transactions.append(Transaction(time: time, commands: commands))
        while transactions[appliedCount].time <= time - length {
            transactions[appliedCount].apply(to: &base)
            appliedCount += 1
        }
        guard appliedCount > 1024 else { return }
        transactions.removeFirst(appliedCount)
        appliedCount = 0
    }

    /// Removes what was executed after `time`, or at most the length of the history; returns the data.
    mutating func rollBack(to time: Int64) -> RedisData {
        while transactions.count > appliedCount, let last = transactions.last, last.time > time {
            transactions.removeLast()
        }
        var data = base
        for transaction in transactions[appliedCount...] { transaction.apply(to: &data) }
        return data
    }

    mutating func removeAll() { self = RedisHistory(length: length) }
}
