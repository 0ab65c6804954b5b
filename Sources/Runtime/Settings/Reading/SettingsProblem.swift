/// What is wrong with one setting, or with several together.
package struct SettingsProblem: Sendable, Hashable, CustomStringConvertible {
    /// The environment variables concerned.
    package let keys: [String]
    /// One line: key, value (masked where secret), what is allowed, and an example.
    package let description: String

    package init(keys: [String], _ description: String) {
        self.keys = keys
        self.description = description
    }
}

/// Everything that is wrong with the environment, found in one go.
package struct SettingsError: Error, Sendable, CustomStringConvertible {
    package let problems: [SettingsProblem]

    package var description: String {
        let count =
            problems.count == 1 ? "One setting is wrong" : "\(problems.count) settings are wrong"
        return ([count + ":"] + problems.map { "  \($0)" }).joined(separator: "\n")
    }
}
