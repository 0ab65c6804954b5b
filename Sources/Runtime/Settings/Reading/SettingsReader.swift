import Configuration
import Foundation

/// Reads settings from the environment and collects every problem instead of stopping at the first.
///
/// A variable that is empty or blank counts as absent, because that is what `${X:-}` in a compose file makes of one.
struct SettingsReader {
    let program: Program
    /// The variables as given, to look for those that are unknown.
    let environment: [String: String]
    private(set) var problems: [SettingsProblem] = []
    private(set) var effective: [EffectiveSetting] = []

    private let configuration: ConfigReader

    init(program: Program, environment: [String: String]) {
        self.program = program
        self.environment = environment
        let secrets = Set(SettingTable.all.filter(\.isSecret).map(\.key))
        configuration = ConfigReader(
            provider: EnvironmentVariablesProvider(
                environmentVariables: environment,
                secretsSpecifier: .dynamic { key, _ in
                    secrets.contains(key) || KafkaProperty(variable: key)?.isSecret == true
                }))
    }

    mutating func integer(_ setting: SettingDefinition) -> Int {
        guard case .integer(let range, _) = setting.kind else {
            preconditionFailure("\(setting.key) is read as an integer and declared as something else.")
        }
        return value(setting) { text in Int(text).flatMap { range.contains($0) ? $0 : nil } }
    }

    mutating func decimal(_ setting: SettingDefinition) -> Double {
        guard case .decimal(let range, _) = setting.kind else {
            preconditionFailure("\(setting.key) is read as a decimal and declared as something else.")
        }
        return value(setting) { text in Double(text).flatMap { range.contains($0) ? $0 : nil } }
    }

    /// An integer setting in milliseconds.
    mutating func duration(_ setting: SettingDefinition) -> Duration {
        .milliseconds(integer(setting))
    }

    mutating func flag(_ setting: SettingDefinition) -> Bool {
        value(setting) { Bool($0.lowercased()) }
    }

    mutating func choice<Choice: RawRepresentable<String>>(
        _ setting: SettingDefinition, as: Choice.Type
    ) -> Choice {
        guard case .choice(let values) = setting.kind else {
            preconditionFailure("\(setting.key) is read as a choice and declared as something else.")
        }
        return value(setting) { text in
            values.first { $0.lowercased() == text.lowercased() }.flatMap { Choice(rawValue: $0) }
        }
    }

    mutating func text(_ setting: SettingDefinition) -> String {
        guard case .text(let form) = setting.kind else {
            preconditionFailure("\(setting.key) is read as a text and declared as something else.")
        }
        return value(setting) { form.accepts($0) ? $0 : nil }
    }

    mutating func secret(_ setting: SettingDefinition) -> Secret { Secret(text(setting)) }

    mutating func report(_ keys: [String], _ description: String) {
        problems.append(SettingsProblem(keys: keys, description))
    }

    /// Whether something was found wrong with the variable, or with the file of its secret.
    func hasProblem(with key: String) -> Bool {
        problems.contains { $0.keys.contains(key) || $0.keys.contains(key + "_FILE") }
    }

    mutating func note(_ setting: EffectiveSetting) { effective.append(setting) }

    /// The variable's text without surrounding blanks; `nil` when it is absent or blank.
    func variable(_ key: String, isSecret: Bool = false) -> String? {
        let parts = key.split(separator: "_", omittingEmptySubsequences: false).map { $0.lowercased() }
        // Keys that no chain of parts can spell are asked for as they are.
        let spelled = parts.joined(separator: "_").uppercased() == key && !parts.contains("")
        let found =
            spelled
            ? configuration.string(forKey: ConfigKey(parts), isSecret: isSecret) : environment[key]
        guard let text = found?.trimmingCharacters(in: .whitespacesAndNewlines), !text.isEmpty else {
            return nil
        }
        return text
    }

    /// Whether the variable is given, or the file of its secret.
    func isSet(_ key: String) -> Bool {
        [key, key + "_FILE"].contains { environment[$0]?.allSatisfy(\.isWhitespace) == false }
    }

    /// The variable, or what is in the file that `<key>_FILE` names; both at once are a problem.
    mutating func secretVariable(_ key: String) -> (text: String, origin: EffectiveSetting.Origin)? {
        let own = variable(key, isSecret: true)
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
            report(
                [key + "_FILE"],
                "\(key)_FILE=\(path): the file cannot be read; does it exist, and may we read it?")
        }
        return nil
    }

    private mutating func value<Value>(_ setting: SettingDefinition, _ parse: (String) -> Value?)
        -> Value
    {
        let standard = setting.standard(for: program)
        guard let fallback = parse(standard) ?? parse(Self.lowest(setting)) else {
            preconditionFailure("The default of \(setting.key) is not a value it may have.")
        }
        // A setting of other programs is not this one's business, not even when it is wrong.
        guard setting.programs.contains(program) else { return fallback }
        let problemCount = problems.count
        let found =
            setting.isSecret
            ? secretVariable(setting.key) : variable(setting.key).map { (text: $0, origin: .environment) }
        guard let found else {
            if problems.count == problemCount { note(setting, standard, .standard) }
            return fallback
        }
        guard let value = parse(found.text) else {
            report([setting.key], Self.complaint(setting, found.text, example: standard))
            return fallback
        }
        note(setting, found.text, found.origin)
        return value
    }

    private mutating func note(
        _ setting: SettingDefinition, _ text: String, _ origin: EffectiveSetting.Origin
    ) {
        let shown = setting.isSecret && !text.isEmpty ? Secret(text).redactedURL : text
        note(EffectiveSetting(key: setting.key, value: shown, origin: origin))
    }

    private static func complaint(_ setting: SettingDefinition, _ text: String, example: String)
        -> String
    {
        let shown = setting.isSecret ? Secret.mask : text
        let better: String =
            if case .text(let form) = setting.kind { form.example } else { example }
        return "\(setting.key)=\(shown): must be \(setting.kind.allowed), such as \(better)."
    }

    /// For a program that a setting has no default for, because it does not read it.
    private static func lowest(_ setting: SettingDefinition) -> String {
        switch setting.kind {
        case .integer(let range, _): String(range.lowerBound)
        case .decimal(let range, _): String(range.lowerBound)
        case .flag: "false"
        case .choice(let values): values.first ?? ""
        case .text(let form): form.example
        }
    }
}
