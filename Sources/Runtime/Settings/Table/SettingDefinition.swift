/// What there is to know about one setting: declared once, in ``SettingTable``.
package struct SettingDefinition: Sendable, Hashable {
    /// What the value of a setting may be.
    package enum Kind: Sendable, Hashable {
        case integer(ClosedRange<Int>, unit: String)
        case decimal(ClosedRange<Double>, unit: String)
        /// `true` or `false`.
        case flag
        case choice([String])
        case text(TextRule)
    }

    /// What holds when the environment says nothing.
    package enum Default: Sendable, Hashable {
        case value(String)
        case perProgram([Program: String])
    }

    /// The environment variable.
    package let key: String
    package let kind: Kind
    package let standard: Default
    /// One sentence for the documentation.
    package let help: String
    /// A secret is masked wherever it would be printed, and can be read from the file that `<key>_FILE` names.
    package let isSecret: Bool
    /// The programs that read it; the others ignore it, whatever its value.
    package let programs: Set<Program>

    package init(
        _ key: String, _ kind: Kind, default standard: Default, isSecret: Bool = false,
        programs: Set<Program>,
        help: String
    ) {
        self.key = key
        self.kind = kind
        self.standard = standard
        self.help = help
        self.isSecret = isSecret
        self.programs = programs
    }

    /// Where a secret's file is named.
    package var fileKey: String { key + "_FILE" }

    /// The default for `program`, as a user would write it.
    package func standard(for program: Program) -> String {
        switch standard {
        case .value(let value): value
        case .perProgram(let values): values[program] ?? ""
        }
    }
}

extension SettingDefinition.Default: ExpressibleByStringLiteral {
    package init(stringLiteral value: String) { self = .value(value) }
}

extension SettingDefinition.Kind {
    /// What is allowed, to complete "must be …".
    package var allowed: String {
        switch self {
        case .integer(let range, let unit):
            "a whole number of \(unit) from \(range.lowerBound) to \(range.upperBound)"
        case .decimal(let range, let unit):
            "a number of \(unit) from \(Self.text(range.lowerBound)) to \(Self.text(range.upperBound))"
        case .flag: "true or false"
        case .choice(let values): "one of \(values.joined(separator: ", "))"
        case .text(let form): form.allowed
        }
    }

    /// Whole numbers without a fraction.
    static func text(_ number: Double) -> String {
        number == number.rounded() && abs(number) < 1e15 ? String(Int64(number)) : number.description
    }
}
