@testable import Runtime

extension SettingTable {
    /// The tables of `docs/configuration.md`.
    static var markdown: String {
        var text = ""
        for group in groups where !group.settings.isEmpty {
            text += text.isEmpty ? "" : "\n"
            text +=
                "**\(group.title)**\n\n| variable | default | value | read by | meaning |\n|---|---|---|---|---|\n"
            for setting in group.settings { text += row(setting) }
        }
        return text
    }

    private static func row(_ setting: SettingDefinition) -> String {
        let key = setting.isSecret ? "`\(setting.key)` (secret)" : "`\(setting.key)`"
        return
            "| \(key) | \(defaultText(setting)) | \(setting.kind.summary) | \(readers(setting)) | \(setting.help) |\n"
    }

    private static func defaultText(_ setting: SettingDefinition) -> String {
        switch setting.defaultValue {
        case .value(let value): return value.isEmpty ? "" : "`\(value)`"
        case .perProgram(let values):
            if values.allSatisfy({ $0.key.rawValue == $0.value }) { return "the program's name" }
            return Program.allCases.compactMap { program in
                values[program].map { "`\($0)` \(shortName(program))" }
            }
            .joined(separator: ", ")
        }
    }

    private static func readers(_ setting: SettingDefinition) -> String {
        if setting.programs == .everything { return "all" }
        if setting.programs == .workers { return "workers" }
        if setting.programs == .services { return "workers, gateways" }
        return Program.allCases.filter(setting.programs.contains).map(shortName).joined(separator: ", ")
    }

    private static func shortName(_ program: Program) -> String {
        program.rawValue.hasSuffix("-worker") ? String(program.rawValue.dropLast(7)) : program.rawValue
    }
}

extension SettingDefinition.Kind {
    /// Allowed values, for the column `value`.
    fileprivate var summary: String {
        switch self {
        case .integer(let range, let unit): "\(unit), \(range.lowerBound) to \(range.upperBound)"
        case .decimal(let range, let unit):
            "\(unit), \(Self.text(range.lowerBound)) to \(Self.text(range.upperBound))"
        case .flag: "`true`, `false`"
        case .choice(let values): values.map { "`\($0)`" }.joined(separator: ", ")
        case .text(let rule): rule.summary
        }
    }
}

extension TextRule {
    private static let summaries = [
        servers.allowed: "`host:port,…`", host.allowed: "host or address", readable(example: "").allowed: "path",
        origins.allowed: "`https://host,…` or `*`",
    ]

    fileprivate var summary: String {
        let start = "a URL that begins with "
        guard allowed.hasPrefix(start) else { return Self.summaries[allowed] ?? "text" }
        let schemes = allowed.dropFirst(start.count).split(separator: " or ")
        return "URL (\(schemes.map { "`\($0)`" }.joined(separator: ", ")))"
    }
}
