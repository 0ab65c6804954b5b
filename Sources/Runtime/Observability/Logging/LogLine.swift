import Logging

/// One log event, formatted as JSON or text.
struct LogLine {
    var milliseconds: Int64
    var level: Logger.Level
    var logger: String
    var message: String
    var metadata: Logger.Metadata
    /// File and line of the statement.
    var source: String?

    /// One JSON object: time, level, logger, message, and metadata and source if present.
    var json: String {
        var json = "{\"time\":\"\(WallClock.text(milliseconds))\",\"level\":\"\(level.rawValue)\""
        json += ",\"logger\":\(JSONText.quoted(logger)),\"message\":\(JSONText.quoted(message))"
        if !metadata.isEmpty { json += ",\"metadata\":\(Self.json(.dictionary(metadata)))" }
        if let source { json += ",\"source\":\(JSONText.quoted(source))" }
        return json + "}"
    }

    /// One readable line: time, level, logger, message, `key=value` pairs, source.
    var text: String {
        let name = level.rawValue
        let padding = String(repeating: " ", count: max(0, 8 - name.count))
        var text = "\(WallClock.text(milliseconds)) \(name)\(padding) \(logger): \(Self.oneLine(message))"
        for (key, value) in metadata.sorted(by: { $0.key < $1.key }) {
            text += " \(key)=\(Self.quotedIfNeeded(value.description))"
        }
        if let source { text += " (\(source))" }
        return text
    }

    private static func json(_ value: Logger.MetadataValue) -> String {
        switch value {
        case .string(let text): JSONText.quoted(text)
        case .stringConvertible(let value): json(value)
        case .array(let values): "[\(values.map { json($0) }.joined(separator: ","))]"
        case .dictionary(let values):
            // Sorted, so that equal events give equal lines.
            "{\(values.sorted { $0.key < $1.key }.map { "\(JSONText.quoted($0)):\(json($1))" }.joined(separator: ","))}"
        }
    }

    /// Formats integers, finite doubles and booleans as such, and everything else as a JSON string.
    private static func json(_ value: any CustomStringConvertible) -> String {
        switch value {
        case let number as any BinaryInteger: number.description
        case let flag as Bool: flag ? "true" : "false"
        case let number as Double where number.isFinite: number.description
        default: JSONText.quoted(value.description)
        }
    }

    private static func quotedIfNeeded(_ text: String) -> String {
        guard text.isEmpty || text.contains(where: { $0.isWhitespace || $0 == "\"" || $0 == "=" }) else { return text }
        return JSONText.quoted(text)
    }

    /// Escapes line breaks, so that an event is one line.
    private static func oneLine(_ text: String) -> String {
        // Iterates over scalars, because a carriage return and a line feed are one Character.
        text.unicodeScalars.map { $0 == "\n" ? "\\n" : $0 == "\r" ? "\\r" : String($0) }.joined()
    }
}
