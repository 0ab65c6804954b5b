import Codec
import Foundation

/// The texts of all languages.
///
/// A moment has several wordings, of which the first counts whose facts are all known; the last needs none.
package struct PushTemplates: Sendable {
    private struct Wording: Decodable {
        let title: String
        let body: String
    }

    /// By language in small letters, then by moment.
    private var languages: [String: [PushMoment: [PushTemplate]]] = [:]
    /// Where a language, and the language without its region, have no text.
    private let fallback: String

    /// The built-in texts, English and German.
    ///
    /// `fallback`: the language of phones whose own has no texts.
    /// - Throws: ``PushTemplateError`` when there is no such language.
    package init(fallback: String) throws(PushTemplateError) {
        self.fallback = fallback.lowercased()
        try add(json: Data(Self.builtIn.utf8))
        try requireFallback()
    }

    /// The built-in texts, and those of a file in their place or beside them:
    /// `{"fr": {"driver_arrived": [{"title": "…", "body": "…"}]}}`.
    /// - Throws: ``PushTemplateError`` that says what is wrong with the file.
    package init(fallback: String, json: Data) throws(PushTemplateError) {
        self.fallback = fallback.lowercased()
        try add(json: Data(Self.builtIn.utf8))
        try add(json: json)
        try requireFallback()
    }

    /// The text for a phone.
    package func text(_ moment: PushMoment, _ facts: PushFacts, language: String) -> PushText {
        let language = language.lowercased()
        let base = String(language.prefix { $0 != "-" })
        for candidate in [language, base, fallback] {
            let texts = languages[candidate] ?? [:]
            let templates = texts[moment] ?? texts[moment.substitute] ?? []
            if let text = templates.lazy.compactMap({ $0.text(facts) }).first { return text }
        }
        preconditionFailure("The default language has no text that needs no facts; init checks that it has.")
    }

    private mutating func add(json: Data) throws(PushTemplateError) {
        let file: [String: [String: [Wording]]]
        do {
            file = try JSONDecoder().decode([String: [String: [Wording]]].self, from: json)
        } catch {
            throw PushTemplateError(
                description: "it must be {\"language\": {\"moment\": [{\"title\": \"…\", \"body\": \"…\"}]}}")
        }
        for (language, moments) in file {
            guard PushDevice.isLanguage(language) else {
                throw PushTemplateError(description: "\"\(language)\" is no language tag")
            }
            for (name, wordings) in moments { try add(name, wordings, language) }
        }
    }

    private mutating func add(
        _ name: String, _ wordings: [Wording], _ language: String
    ) throws(PushTemplateError) {
        guard let moment = PushMoment(rawValue: name) else {
            throw PushTemplateError(
                description: "\"\(name)\" is no moment; there are "
                    + PushMoment.allCases.map(\.rawValue).joined(separator: ", "))
        }
        var templates: [PushTemplate] = []
        for wording in wordings { templates.append(try PushTemplate(title: wording.title, body: wording.body)) }
        guard templates.last?.needsNoFacts == true else {
            throw PushTemplateError(description: "the last text of \(language) \(name) must need no facts")
        }
        languages[language.lowercased(), default: [:]][moment] = templates
    }

    private func requireFallback() throws(PushTemplateError) {
        for moment in PushMoment.allCases where languages[fallback]?[moment.substitute] == nil {
            throw PushTemplateError(description: "the default language \(fallback) has no text for \(moment.rawValue)")
        }
    }
}
