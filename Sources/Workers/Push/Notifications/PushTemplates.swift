import Codec
import Foundation

/// Notification texts of all languages.
///
/// A moment has several wordings. The first wording whose placeholders are all known is used; the
/// last has no placeholders.
struct PushTemplates: Sendable {
    private struct Wording: Decodable {
        let title: String
        let body: String
    }

    /// Templates by lower-case language tag and moment.
    private var languages: [String: [PushMoment: [PushTemplate]]] = [:]
    /// Language used if a phone's language has no text, with or without its region.
    private let fallback: String

    /// Loads the built-in texts (English and German), and a file that replaces or extends them.
    ///
    /// The format is `{"fr": {"driver_arrived": [{"title": "…", "body": "…"}]}}`.
    /// - Throws: ``PushTemplateError`` for an invalid file, or if `fallback` lacks texts.
    init(fallback: String, json: Data? = nil) throws(PushTemplateError) {
        self.fallback = fallback.lowercased()
        try add(json: Data(Self.builtIn.utf8))
        if let json { try add(json: json) }
        for moment in PushMoment.allCases where languages[self.fallback]?[moment.substitute] == nil {
            throw PushTemplateError(
                description: "the default language \(self.fallback) has no text for \(moment.rawValue)")
        }
    }

    func text(_ moment: PushMoment, _ facts: PushFacts, language: String) -> PushText {
        let language = language.lowercased()
        let base = String(language.prefix { $0 != "-" })
        for candidate in [language, base, fallback] {
            let texts = languages[candidate] ?? [:]
            let templates = texts[moment] ?? texts[moment.substitute] ?? []
            if let text = templates.lazy.compactMap({ $0.text(facts) }).first { return text }
        }
        preconditionFailure("The default language lacks a text without placeholders, which init requires.")
    }

    private mutating func add(json: Data) throws(PushTemplateError) {
        let file: [String: [String: [Wording]]]
        do {
            file = try JSONDecoder().decode([String: [String: [Wording]]].self, from: json)
        } catch {
            throw PushTemplateError(
                description: "it must be {\"language\": {\"event_type\": [{\"title\": \"…\", \"body\": \"…\"}]}}")
        }
        for (language, moments) in file {
            guard PushDevice.isLanguage(language) else {
                throw PushTemplateError(description: "\"\(language)\" is not a language tag")
            }
            for (name, wordings) in moments { try add(name, wordings, language) }
        }
    }

    private mutating func add(_ name: String, _ wordings: [Wording], _ language: String) throws(PushTemplateError) {
        guard let moment = PushMoment(rawValue: name) else {
            throw PushTemplateError(
                description: "\"\(name)\" is not an event type; use "
                    + PushMoment.allCases.map(\.rawValue).joined(separator: ", "))
        }
        var templates: [PushTemplate] = []
        for wording in wordings { templates.append(try PushTemplate(title: wording.title, body: wording.body)) }
        guard templates.last?.needsNoFacts == true else {
            throw PushTemplateError(description: "the last text of \(language) \(name) must have no placeholders")
        }
        languages[language.lowercased(), default: [:]][moment] = templates
    }
}
