extension RedisConnection {
    /// Hands over the names of the keys that begin with `prefix` and match `pattern` from there on, a page at a time.
    ///
    /// Redis serves others between two pages. A key that is there from the first page to the last is handed over at
    /// least once.
    ///
    /// - Parameters:
    ///   - prefix: taken as it is, whatever it contains.
    ///   - pattern: a pattern of Redis' `MATCH`, such as `driver:*`.
    ///   - body: may send commands over this connection, and has to take their answers.
    /// - Throws: ``RedisError``, and what `body` throws.
    package func scan(prefix: String, _ pattern: String, _ body: ([String]) throws -> Void) throws {
        var cursor = "0"
        repeat {
            let page = try call("SCAN", cursor, "MATCH", Self.escaped(prefix) + pattern, "COUNT", "1000").elements
            cursor = page.first?.text ?? "0"
            try body((page.last?.elements ?? []).compactMap(\.text))
        } while cursor != "0"
    }

    /// A text that Redis' patterns take as it is.
    private static func escaped(_ text: String) -> String {
        text.reduce(into: "") { result, character in
            if "*?[]\\^".contains(character) { result.append("\\") }
            result.append(character)
        }
    }
}
