/// Invalid value of one setting, or invalid combination of several.
package struct SettingsProblem: Sendable, Hashable, CustomStringConvertible {
    /// The affected environment variables.
    package let keys: [String]
    /// One line: key, value (masked if secret), allowed values, and an example.
    package let description: String

    package init(keys: [String], _ description: String) {
        self.keys = keys
        self.description = description
    }
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
