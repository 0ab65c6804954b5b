/// Title and body that a phone shows.
struct PushText: Sendable, Equatable, Encodable {
    /// Maximum lengths in bytes, so that a payload stays within the limit of the services.
    static let maximumTitleBytes = 256
    static let maximumBodyBytes = 1024

    let title: String
    let body: String

    /// Returns as many whole characters as fit into `bytes`.
    static func prefix(of text: String, bytes: Int) -> String {
        guard text.utf8.count > bytes else { return text }
        var result = ""
        var count = 0
        for character in text {
            count += character.utf8.count
            guard count <= bytes else { break }
            result.append(character)
        }
        return result
    }
}

/// Problem of a template file, as a part of a sentence.
struct PushTemplateError: Error, CustomStringConvertible, Equatable {
    let description: String
}

/// Wording of a text, with placeholders such as `{driver}`.
struct PushTemplate: Sendable, Equatable {
    private enum Part: Equatable {
        case text(String)
        case fact(String)
    }

    private let title: [Part]
    private let body: [Part]

    /// - Throws: ``PushTemplateError`` for an empty title, an unknown placeholder, an unmatched brace, or a control
    ///   character other than a line feed in the body.
    init(title: String, body: String) throws(PushTemplateError) {
        guard !title.isEmpty else { throw PushTemplateError(description: "a title is empty") }
        try Self.check(title, "title", allowing: [])
        try Self.check(body, "body", allowing: ["\n"])
        self.title = try Self.parts(of: title)
        self.body = try Self.parts(of: body)
    }

    /// Fills in the placeholders; `nil` if one of the values is unknown.
    func text(_ facts: PushFacts) -> PushText? {
        guard let title = Self.filled(title, facts), let body = Self.filled(body, facts) else { return nil }
        return PushText(
            title: PushText.prefix(of: title, bytes: PushText.maximumTitleBytes),
            body: PushText.prefix(of: body, bytes: PushText.maximumBodyBytes))
    }

    var needsNoFacts: Bool { (title + body).allSatisfy { if case .text = $0 { true } else { false } } }

    private static func filled(_ parts: [Part], _ facts: PushFacts) -> String? {
        var result = ""
        for part in parts {
            switch part {
            case .text(let text): result += text
            case .fact(let name):
                guard let value = facts.values[name] else { return nil }
                result += value
            }
        }
        return result
    }

    /// Throws for control characters, six bytes each in JSON, which could exceed the payload limit.
    private static func check(
        _ text: String, _ name: String, allowing allowed: Set<Unicode.Scalar>
    ) throws(PushTemplateError) {
        let found = text.unicodeScalars.first { $0.properties.generalCategory == .control && !allowed.contains($0) }
        guard let found else { return }
        let code = String(found.value, radix: 16, uppercase: true)
        throw PushTemplateError(
            description: "a \(name) has the control character U+\(String(repeating: "0", count: 4 - code.count))\(code)"
        )
    }

    private static func parts(of text: String) throws(PushTemplateError) -> [Part] {
        var parts: [Part] = []
        var rest = text[...]
        while let open = rest.firstIndex(where: { $0 == "{" || $0 == "}" }) {
            guard rest[open] == "{", let close = rest[open...].firstIndex(of: "}") else {
                throw PushTemplateError(description: "\"\(text)\" has an unmatched brace")
            }
            let name = String(rest[rest.index(after: open)..<close])
            guard PushFacts.names.contains(name) else {
                throw PushTemplateError(
                    description: "\"\(text)\" has the unknown placeholder {\(name)}; use "
                        + PushFacts.names.map { "{\($0)}" }.joined(separator: ", "))
            }
            if open > rest.startIndex { parts.append(.text(String(rest[..<open]))) }
            parts.append(.fact(name))
            rest = rest[rest.index(after: close)...]
        }
        if !rest.isEmpty { parts.append(.text(String(rest))) }
        return parts
    }
}
