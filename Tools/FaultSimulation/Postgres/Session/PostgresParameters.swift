/// Parameters `$1`, `$2` … of a statement, in the text format.
struct PostgresParameters {
    private let values: [String?]

    init(_ values: [String?]) { self.values = values }

    /// Returns parameter `$number`.
    func text(_ number: Int) throws(PostgresFailure) -> String {
        guard values.indices.contains(number - 1), let value = values[number - 1] else {
            throw PostgresFailure("08P01", "there is no parameter $\(number)")
        }
        return value
    }

    func integer(_ number: Int) throws(PostgresFailure) -> Int64 {
        let text = try text(number)
        guard let value = Int64(text) else {
            throw PostgresFailure("22P02", "invalid input syntax for type bigint: \"\(text)\"")
        }
        return value
    }

    /// Returns the elements of an array without nulls, such as `{a,"b c"}`.
    func array(_ number: Int) throws(PostgresFailure) -> [String] {
        let text = try text(number)
        guard text.hasPrefix("{"), text.hasSuffix("}") else {
            throw PostgresFailure("22P02", "malformed array literal: \"\(text)\"")
        }
        let content = text.dropFirst().dropLast()
        guard !content.isEmpty else { return [] }
        var elements = [""]
        var (isQuoted, isEscaped) = (false, false)
        for character in content.unicodeScalars {
            if isEscaped {
                elements[elements.count - 1].unicodeScalars.append(character)
                isEscaped = false
            } else if character == "\\" {
                isEscaped = true
            } else if character == "\"" {
                isQuoted.toggle()
            } else if character == ",", !isQuoted {
                elements.append("")
            } else {
                elements[elements.count - 1].unicodeScalars.append(character)
            }
        }
        return elements
    }
}
