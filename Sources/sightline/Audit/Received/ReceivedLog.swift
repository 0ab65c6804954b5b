import Recordings

/// What one client received: the messages of all its connections, in order.
struct ReceivedLog {
    struct Entry {
        /// Counted from 1.
        var line: Int
        var message: ReceivedMessage
    }

    /// The file.
    var path: String
    var entries: [Entry]

    init(path: String, entries: [Entry]) {
        self.path = path
        self.entries = entries
    }

    /// Reads a file with one message in each line; empty lines are skipped.
    /// - Throws: ``InputError``, naming file and line, for a line that is no message; also for a log without any
    ///   subscription, which has nothing to compare.
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
        guard !entries.isEmpty else { throw InputError("\(lines.path) is empty: the client has received nothing.") }
        guard !channels.isEmpty else {
            throw InputError(
                "\(lines.path) has no message of type subscribed or state_sync that names a trip or a route, so that "
                    + "there is nothing to compare.")
        }
    }

    /// The channels that the client was subscribed to at some time.
    var channels: Set<String> {
        Set(
            entries.compactMap { entry in
                guard case .answer(let answer) = entry.message else { return nil }
                return answer.channel
            })
    }

    /// How often the client connected; a log that does not begin with `connected` has a connection before the first.
    var connections: Int {
        let count = entries.count { $0.message == .connected }
        return entries.first?.message == .connected ? count : count + 1
    }
}
