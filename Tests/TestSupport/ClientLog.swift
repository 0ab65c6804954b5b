import Foundation

/// File to which a client of rider-gateway appends one line for each message that it receives.
///
/// Examples/follow.py starts each connection with a line `{"type": "connected", …}`.
package struct ClientLog {
    package let file: URL

    /// Prefix of the line that starts a connection; messages of the gateway have no space after the colon.
    private static let connected = "{\"type\": \"connected\""

    private static let anyEvent = ",\"event_id\":\""

    package init(_ file: URL) { self.file = file }

    /// Number of events received.
    package var eventCount: Int { count(Self.anyEvent) }

    /// Returns the number of events of a type received.
    package func eventCount(of type: String) -> Int { count(Self.event(type)) }

    /// Whether an event was received over the last connection.
    package var hasEventInLastConnection: Bool { countInLastConnection(Self.anyEvent) > 0 }

    /// Returns the number of events of a type received over the last connection; 0 before the first connection.
    package func eventCountInLastConnection(of type: String) -> Int { countInLastConnection(Self.event(type)) }

    /// Number of connections that the client has opened.
    package var connectionCount: Int { count(Self.connected) }

    /// Returns the number of occurrences of a text in the file.
    package func count(_ text: String) -> Int { Self.count(Data(text.utf8), in: content[...]) }

    private func countInLastConnection(_ text: String) -> Int {
        let content = content
        guard let last = content.range(of: Data(Self.connected.utf8), options: .backwards) else { return 0 }
        return Self.count(Data(text.utf8), in: content[last.lowerBound...])
    }

    /// Copies the complete lines of the file to `<file>.copy`, and returns the copy.
    package func copy() throws -> URL {
        let copy = file.appendingPathExtension("copy")
        let text = try Data(contentsOf: file)
        let end = text.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        try text.prefix(end).write(to: copy)
        return copy
    }

    private static func event(_ type: String) -> String { "{\"type\":\"\(type)\"" }

    private var content: Data { (try? Data(contentsOf: file)) ?? Data() }

    private static func count(_ pattern: Data, in content: Data) -> Int {
        var (count, start) = (0, content.startIndex)
        while let match = content.range(of: pattern, in: start..<content.endIndex) {
            count += 1
            start = match.upperBound
        }
        return count
    }
}
