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
        var json = "{\"time\":\"\(WallClock.text(milliseconds))\",\"level\":\"\(level.rawValue)\",\"logger\":"
        Self.append(logger, to: &json)
        json += ",\"message\":"
        Self.append(message, to: &json)
        if !metadata.isEmpty {
            json += ",\"metadata\":"
            Self.append(.dictionary(metadata), to: &json)
        }
        if let source {
            json += ",\"source\":"
            Self.append(source, to: &json)
        }
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

    private static func append(_ value: Logger.MetadataValue, to json: inout String) {
        switch value {
        case .string(let text): append(text, to: &json)
        case .stringConvertible(let value): append(value, to: &json)
        case .array(let values):
            json += "["
            for (index, value) in values.enumerated() {
                if index > 0 { json += "," }
                append(value, to: &json)
            }
            json += "]"
        case .dictionary(let values):
            json += "{"
            // Sorted, so that equal events give equal lines.
            for (index, pair) in values.sorted(by: { $0.key < $1.key }).enumerated() {
                if index > 0 { json += "," }
                append(pair.key, to: &json)
                json += ":"
                append(pair.value, to: &json)
            }
            json += "}"
        }
    }

    /// Keeps integers, finite doubles and booleans, and converts everything else to text.
    private static func append(_ value: any CustomStringConvertible, to json: inout String) {
        switch value {
        case let number as any BinaryInteger: json += number.description
        case let flag as Bool: json += flag ? "true" : "false"
        case let number as Double where number.isFinite: json += number.description
        default: append(value.description, to: &json)
        }
    }

    private static func append(_ text: String, to json: inout String) { JSONText.append(text, to: &json) }

    private static func quotedIfNeeded(_ text: String) -> String {
        guard text.isEmpty || text.contains(where: { $0.isWhitespace || $0 == "\"" || $0 == "=" }) else { return text }
        var quoted = ""
        append(text, to: &quoted)
        return quoted
    }

    /// Escapes line breaks, so that an event is one line.
    private static func oneLine(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: { $0 == "\n" || $0 == "\r" }) else { return text }
        return text.unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar {
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            default: result.unicodeScalars.append(scalar)
            }
        }
    }
}
