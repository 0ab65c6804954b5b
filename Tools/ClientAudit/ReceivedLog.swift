import Recordings

/// The messages that one client received over all connections, in order.
struct ReceivedLog {
    struct Entry {
        /// Line number, from 1.
        var line: Int
        var message: ReceivedMessage
    }

    var path: String
    var entries: [Entry]

    var channels: Set<String> {
        Set(
            entries.compactMap { entry in
                guard case .answer(let answer) = entry.message else { return nil }
                return answer.channel
            })
    }

    /// The number of connections; a log may lack the first `connected`.
    var connections: Int {
        let count = entries.count { $0.message == .connected }
        return entries.first?.message == .connected ? count : count + 1
    }
}

extension ReceivedLog {
    /// Reads a file with one message per line; empty lines are skipped.
    /// - Throws: ``InputError`` with file and line for an invalid message; also for a log without a subscription.
    init(path: String) throws {
        let lines = try LineReader(path: path)
        let reader = ReceivedMessageReader()
        self.init(path: lines.path, entries: [])
        while let line = try lines.next() {
            guard !line.isEmpty else { continue }
            do {
                entries.append(Entry(line: lines.lineNumber, message: try reader.read(line)))
            } catch {
                throw InputError("\(lines.path), line \(lines.lineNumber): \(error.description).")
            }
        }
        guard !entries.isEmpty else { throw InputError("\(lines.path) is empty.") }
        guard !channels.isEmpty else {
            throw InputError(
                "\(lines.path) has no message of type subscribed or state_sync for a trip or route, so there is nothing to "
                    + "compare.")
        }
    }
}
