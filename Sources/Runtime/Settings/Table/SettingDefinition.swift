/// Declaration of one setting, listed in ``SettingTable``.
package struct SettingDefinition: Sendable {
    package enum Kind: Sendable {
        case integer(ClosedRange<Int>, unit: String)
        case decimal(ClosedRange<Double>, unit: String)
        case flag
        case choice([String])
        case text(TextRule)
    }

    /// Value if the variable is not set.
    package enum Default: Sendable {
        case value(String)
        case perProgram([Program: String])
    }

    /// The environment variable.
    package let key: String
    package let kind: Kind
    package let defaultValue: Default
    /// One sentence for the documentation.
    package let help: String
    /// Whether the value is masked in all output, and may be read from the file at the path in `<key>_FILE`.
    package let isSecret: Bool
    /// Programs that read the setting; others ignore it, even with an invalid value.
    package let programs: Set<Program>

    package init(
        _ key: String, _ kind: Kind, default defaultValue: Default, isSecret: Bool = false, programs: Set<Program>,
        help: String
    ) {
        self.key = key
        self.kind = kind
        self.defaultValue = defaultValue
        self.help = help
        self.isSecret = isSecret
        self.programs = programs
    }

    package var fileKey: String { key + "_FILE" }

    /// Returns the default for `program`, as text; empty if it has none.
    package func defaultText(for program: Program) -> String {
        switch defaultValue {
        case .value(let value): value
        case .perProgram(let values): values[program] ?? ""
        }
    }
}

extension SettingDefinition.Default: ExpressibleByStringLiteral {
    package init(stringLiteral value: String) { self = .value(value) }
}

extension SettingDefinition.Kind {
    /// Description of allowed values that completes "must be …".
    package var allowed: String {
        switch self {
        case .integer(let range, let unit):
            "a whole number of \(unit) from \(range.lowerBound) to \(range.upperBound)"
        case .decimal(let range, let unit):
            "a number of \(unit) from \(Self.text(range.lowerBound)) to \(Self.text(range.upperBound))"
        case .flag: "true or false"
        case .choice(let values): "one of \(values.joined(separator: ", "))"
        case .text(let rule): rule.allowed
        }
    }

    /// Formats whole numbers without a fraction.
    static func text(_ number: Double) -> String {
        number == number.rounded() && abs(number) < 1e15 ? String(Int64(number)) : number.description
    }
}
