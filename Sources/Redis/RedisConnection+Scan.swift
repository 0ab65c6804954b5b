extension RedisConnection {
    /// Passes the keys that consist of `prefix` and a match of `pattern` to `body`, page by page.
    ///
    /// Redis serves other clients between pages. Keys that exist during the whole scan are passed
    /// at least once. `body` may send commands on this connection if it receives their replies.
    package func scan(prefix: String, _ pattern: String, _ body: ([String]) throws -> Void) throws {
        var cursor = "0"
        repeat {
            let page = try call("SCAN", cursor, "MATCH", Self.escaped(prefix) + pattern, "COUNT", "1000").elements
            cursor = page.first?.text ?? "0"
            try body((page.last?.elements ?? []).compactMap(\.text))
        } while cursor != "0"
    }

    /// Escapes the special characters of a text for a pattern.
    private static func escaped(_ text: String) -> String {
        text.reduce(into: "") { result, character in
            if "*?[]\\^".contains(character) { result.append("\\") }
            result.append(character)
        }
    }
}
