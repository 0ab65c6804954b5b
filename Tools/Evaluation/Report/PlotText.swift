/// Words in a picture.
enum PlotText {
    /// About how wide a text is; letters of common fonts are 0.6 of their size wide at most, on average.
    static func width(_ text: String, size: Double) -> Double { Double(text.count) * size * 0.6 }

    /// A text in lines that are no wider than `width`, broken between words.
    static func wrapped(_ text: String, width: Double, size: Double) -> [String] {
        var lines: [String] = []
        for word in text.split(whereSeparator: \.isWhitespace) {
            if let last = lines.last, Self.width("\(last) \(word)", size: size) <= width {
                lines[lines.count - 1] = "\(last) \(word)"
            } else {
                lines.append(String(word))
            }
        }
        return lines
    }

    /// A text as content or attribute of XML; characters that XML does not know become the replacement character.
    static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            case "\t", "\n", "\r": escaped += " "
            case _ where scalar.value < 0x20 || scalar.value == 0xfffe || scalar.value == 0xffff: escaped += "\u{fffd}"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    static func element(
        _ text: String, at place: (x: Double, y: Double), anchor: String = "start", size: Double? = nil,
        isBold: Bool = false, color: String, transform: String? = nil
    ) -> String {
        let attributes = [
            "x=\"\(PlotNumber.place(place.x))\" y=\"\(PlotNumber.place(place.y))\" fill=\"\(color)\"",
            anchor == "start" ? nil : "text-anchor=\"\(anchor)\"",
            size.map { "font-size=\"\(PlotNumber.place($0))\"" },
            isBold ? "font-weight=\"600\"" : nil,
            transform.map { "transform=\"\($0)\"" },
        ]
        return "<text \(attributes.compactMap { $0 }.joined(separator: " "))>\(escaped(text))</text>"
    }
}
