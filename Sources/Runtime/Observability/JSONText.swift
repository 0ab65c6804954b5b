/// Writer of JSON strings (RFC 8259, section 7).
package enum JSONText {
    /// Appends `text` in quotation marks, escaped.
    package static func append(_ text: String, to json: inout String) {
        json += "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": json += "\\\""
            case "\\": json += "\\\\"
            case "\n": json += "\\n"
            case "\r": json += "\\r"
            case "\t": json += "\\t"
            case _ where scalar.value < 0x20:
                let digits = String(scalar.value, radix: 16)
                json += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: json.unicodeScalars.append(scalar)
            }
        }
        json += "\""
    }

    package static func quoted(_ text: String) -> String {
        var json = ""
        append(text, to: &json)
        return json
    }
}
