/// Check for unknown variables with a prefix of Sightline, which are probably mistyped settings.
enum UnknownVariables {
    static let ownPrefixes = ["SIGHTLINE_", "HISTORY_"]
    /// Prefixes of variables for scripts and compose files, which the programs also receive.
    static let foreignPrefixes = [
        "SIGHTLINE_BUILD", "SIGHTLINE_TEST_", "SIGHTLINE_LOCAL_", "SIGHTLINE_STACK_", "SIGHTLINE_DEMO_",
        "SIGHTLINE_DATA", "SIGHTLINE_IMAGE", "SIGHTLINE_PREBUILT",
    ]
    /// Variable with the token of `Examples/follow.py`; not a prefix, because longer names are settings.
    static let foreignNames: Set<String> = ["SIGHTLINE_TOKEN"]

    static func problems(in environment: [String: String]) -> [SettingsProblem] {
        let known = Set(SettingTable.all.flatMap { $0.isSecret ? [$0.key, $0.fileKey] : [$0.key] })
        return environment.keys.sorted().compactMap { key in
            guard ownPrefixes.contains(where: key.hasPrefix),
                !foreignPrefixes.contains(where: key.hasPrefix), !foreignNames.contains(key),
                !known.contains(key), !isServiceLink(key, environment[key] ?? "")
            else { return nil }
            let advice =
                Suggestion.closest(to: key, among: known).map { "did you mean \($0)?" } ?? "unset it."
            return SettingsProblem(keys: [key], description: "\(key) is not a setting: \(advice)")
        }
    }

    /// Returns whether Kubernetes created the variable, as a link to a service.
    ///
    /// The name of such a service begins like a prefix of Sightline or Kafka. The variables are `X_SERVICE_HOST`,
    /// `X_SERVICE_PORT[_NAME]`, `X_PORT=tcp://…`, `X_PORT_9092_TCP[_…]`.
    static func isServiceLink(_ key: String, _ value: String) -> Bool {
        if key.hasSuffix("_SERVICE_HOST") || key.hasSuffix("_SERVICE_PORT")
            || key.contains("_SERVICE_PORT_")
        {
            return true
        }
        if key.hasSuffix("_PORT") { return value.hasPrefix("tcp://") || value.hasPrefix("udp://") }
        guard let port = key.firstRange(of: "_PORT_") else { return false }
        let rest = key[port.upperBound...].split(separator: "_")
        return rest.count >= 2 && Int(rest[0]) != nil && (rest[1] == "TCP" || rest[1] == "UDP")
    }
}
