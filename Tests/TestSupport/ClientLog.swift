import Foundation

/// What a client of rider-gateway has received: a file with a line for each message, to which the client still writes.
///
/// A line `{"type": "connected", …}` begins each connection (Examples/follow.py).
package struct ClientLog {
    package let file: URL

    /// How the line begins that precedes the messages of a connection; no message of a gateway has this space.
    private static let connected = "{\"type\": \"connected\""

    private static let anyEvent = ",\"event_id\":\""

    package init(_ file: URL) { self.file = file }

    /// How many events the client has received.
    package var eventCount: Int { count(Self.anyEvent) }

    /// How many events of a type the client has received.
    package func eventCount(of type: String) -> Int { count(Self.event(type)) }

    /// Whether an event has come over the last connection.
    package var hasEventInLastConnection: Bool { countInLastConnection(Self.anyEvent) > 0 }

    /// How many events of a type have come over the last connection; 0 while there is none.
    package func eventCountInLastConnection(of type: String) -> Int { countInLastConnection(Self.event(type)) }

    /// How often the client has connected.
    package var connectionCount: Int { count(Self.connected) }

    /// How often the file contains a text.
    package func count(_ text: String) -> Int { Self.count(Data(text.utf8), in: content[...]) }

    private func countInLastConnection(_ text: String) -> Int {
        let content = content
        guard let last = content.range(of: Data(Self.connected.utf8), options: .backwards) else { return 0 }
        return Self.count(Data(text.utf8), in: content[last.lowerBound...])
    }

    /// Copies the file to one beside it, without a line that is being written.
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
        while let found = content.range(of: pattern, in: start..<content.endIndex) {
            count += 1
            start = found.upperBound
        }
        return count
    }
}
