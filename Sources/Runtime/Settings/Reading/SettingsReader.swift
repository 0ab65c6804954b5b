import Foundation

/// Reader of settings from the environment, which collects all problems instead of stopping at the first.
///
/// An empty or blank variable counts as absent, because `${X:-}` in a compose file produces one.
struct SettingsReader {
    let program: Program
    let environment: [String: String]
    private(set) var problems: [SettingsProblem] = []
    private(set) var effective: [EffectiveSetting] = []

    mutating func integer(_ setting: SettingDefinition) -> Int {
        value(setting) { text in
            guard case .integer(let range, _) = setting.kind, let number = Int(text) else { return nil }
            return range.contains(number) ? number : nil
        }
    }

    mutating func decimal(_ setting: SettingDefinition) -> Double {
        value(setting) { text in
            guard case .decimal(let range, _) = setting.kind, let number = Double(text) else { return nil }
            return range.contains(number) ? number : nil
        }
    }

    /// Reads an integer setting in milliseconds.
    mutating func duration(_ setting: SettingDefinition) -> Duration { .milliseconds(integer(setting)) }

    mutating func flag(_ setting: SettingDefinition) -> Bool { value(setting) { Bool($0.lowercased()) } }

    mutating func choice<Choice: RawRepresentable<String>>(_ setting: SettingDefinition, as: Choice.Type) -> Choice {
        value(setting) { text in
            guard case .choice(let values) = setting.kind else { return nil }
            return values.first { $0.lowercased() == text.lowercased() }.flatMap { Choice(rawValue: $0) }
        }
    }

    mutating func text(_ setting: SettingDefinition) -> String {
        value(setting) { text in
            guard case .text(let rule) = setting.kind, rule.accepts(text) else { return nil }
            return text
        }
    }

    /// Reads a text; `nil` if it is empty.
    mutating func optionalText(_ setting: SettingDefinition) -> String? {
        let text = text(setting)
        return text.isEmpty ? nil : text
    }

    mutating func secret(_ setting: SettingDefinition) -> Secret { Secret(text(setting)) }

    mutating func report(_ keys: [String], _ description: String) {
        problems.append(SettingsProblem(keys: keys, description: description))
    }

    /// Relation of two settings in ``require(_:_:_:_:_:_:)``.
    enum Relation: String {
        case below = "be below"
        case notAbove = "not be above"
        case atMostQuarter = "be at most a quarter of"
    }

    /// Reports an invalid relation of two settings if the program reads both.
    mutating func require(
        _ isValid: Bool, _ setting: SettingDefinition, _ value: Duration, _ relation: Relation,
        _ other: SettingDefinition, _ otherValue: Duration
    ) {
        guard !isValid, setting.programs.contains(program), other.programs.contains(program) else { return }
        report(
            [setting.key, other.key],
            "\(setting.key)=\(value.wholeMilliseconds): must \(relation.rawValue) \(other.key), which is "
                + "\(otherValue.wholeMilliseconds).")
    }

    /// Returns whether a problem was reported for the variable or for its `_FILE` variant.
    func hasProblem(with key: String) -> Bool {
        problems.contains { $0.keys.contains(key) || $0.keys.contains(key + "_FILE") }
    }

    mutating func record(_ setting: EffectiveSetting) { effective.append(setting) }

    /// Returns the trimmed value of a variable; `nil` if it is absent or blank.
    func variable(_ key: String) -> String? {
        guard let text = environment[key]?.trimmingCharacters(in: .whitespacesAndNewlines), !text.isEmpty else {
            return nil
        }
        return text
    }

    /// Returns whether the variable or its `_FILE` variant is set.
    func isSet(_ key: String) -> Bool {
        [key, key + "_FILE"].contains { environment[$0]?.allSatisfy(\.isWhitespace) == false }
    }

    /// Reads a variable or the file at the path in `<key>_FILE`; reports both set, or an unusable file.
    mutating func secretVariable(_ key: String) -> (text: String, origin: EffectiveSetting.Origin)? {
        let own = variable(key)
        guard let path = variable(key + "_FILE") else { return own.map { ($0, .environment) } }
        guard own == nil else {
            report([key, key + "_FILE"], "\(key) and \(key)_FILE are both set: unset one of them.")
            return nil
        }
        do {
            let text = try String(contentsOf: URL(filePath: path), encoding: .utf8)
                .trimmingCharacters(in: .whitespacesAndNewlines)
            if !text.isEmpty { return (text, .file(path)) }
            report([key + "_FILE"], "\(key)_FILE=\(path): the file is empty.")
        } catch {
            report([key + "_FILE"], "\(key)_FILE=\(path): the file does not exist or cannot be read.")
        }
        return nil
    }

    private mutating func value<Value>(_ setting: SettingDefinition, _ parse: (String) -> Value?)
        -> Value
    {
        let defaultText = setting.defaultText(for: program)
        guard let fallback = parse(defaultText) ?? parse(Self.placeholder(for: setting)) else {
            preconditionFailure("\(setting.key) is not read as its declared type, or its default is invalid.")
        }
        // Settings of other programs are ignored, even invalid ones.
        guard setting.programs.contains(program) else { return fallback }
        let problemCount = problems.count
        let found =
            setting.isSecret
            ? secretVariable(setting.key) : variable(setting.key).map { (text: $0, origin: .environment) }
        guard let found else {
            if problems.count == problemCount { record(setting, defaultText, .defaultValue) }
            return fallback
        }
        guard let value = parse(found.text) else {
            report([setting.key], Self.problem(setting, found.text, example: defaultText))
            return fallback
        }
        record(setting, found.text, found.origin)
        return value
    }

    private mutating func record(_ setting: SettingDefinition, _ text: String, _ origin: EffectiveSetting.Origin) {
        let shown = setting.isSecret && !text.isEmpty ? Secret(text).redactedURL : text
        record(EffectiveSetting(key: setting.key, value: shown, origin: origin))
    }

    private static func problem(_ setting: SettingDefinition, _ text: String, example: String) -> String {
        let shown = setting.isSecret ? Secret.mask : text
        let valid: String =
            if case .text(let rule) = setting.kind { rule.example } else { example }
        return "\(setting.key)=\(shown): must be \(setting.kind.allowed), such as \(valid)."
    }

    /// Returns a valid value for programs that do not read the setting and for which it has no default.
    private static func placeholder(for setting: SettingDefinition) -> String {
        switch setting.kind {
        case .integer(let range, _): String(range.lowerBound)
        case .decimal(let range, _): String(range.lowerBound)
        case .flag: "false"
        case .choice(let values): values.first ?? ""
        case .text(let rule): rule.example
        }
    }
}

/// Effective value of one setting, for the log at start and for `--check-config`.
package struct EffectiveSetting: Sendable, Hashable, CustomStringConvertible {
    package enum Origin: Sendable, Hashable {
        case defaultValue
        case environment
        case file(String)
    }

    package let key: String
    /// Masked if secret.
    package let value: String
    package let origin: Origin

    package var description: String {
        switch origin {
        case .defaultValue: "\(key)=\(value) (default)"
        case .environment: "\(key)=\(value)"
        case .file(let path): "\(key)=\(value) (from \(path))"
        }
    }
}

/// Invalid value of one setting, or invalid combination of several.
package struct SettingsProblem: Sendable, Hashable, CustomStringConvertible {
    /// The affected environment variables.
    package let keys: [String]
    /// One line for the user; secret values are masked.
    package let description: String
}

/// All problems found in the environment.
package struct SettingsError: Error, Sendable, CustomStringConvertible {
    package let problems: [SettingsProblem]

    package var description: String {
        let count =
            problems.count == 1 ? "One setting is wrong" : "\(problems.count) settings are wrong"
        return ([count + ":"] + problems.map { "  \($0)" }).joined(separator: "\n")
    }
}
