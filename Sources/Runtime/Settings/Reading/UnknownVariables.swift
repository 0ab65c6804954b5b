/// Finds variables that look like settings and are none: most are typing errors, and would silently do nothing.
enum UnknownVariables {
    /// Everything with these prefixes is a setting of ours.
    static let ownPrefixes = ["SIGHTLINE_", "HISTORY_"]
    /// Variables of the scripts and compose files beside the programs, which reach the programs too.
    static let foreignPrefixes = [
        "SIGHTLINE_BUILD", "SIGHTLINE_TEST_", "SIGHTLINE_LOCAL_", "SIGHTLINE_STACK_", "SIGHTLINE_DEMO_",
        "SIGHTLINE_DATA", "SIGHTLINE_IMAGE", "SIGHTLINE_PREBUILT",
    ]
    /// The token of `Examples/follow.py`; the variables that begin like it are settings.
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
            return SettingsProblem(keys: [key], "\(key) is not a setting: \(advice)")
        }
    }

    /// Whether a container platform set the variable to announce a service that happens to be called like our prefix.
    ///
    /// Kubernetes' "service links": `X_SERVICE_HOST`, `X_SERVICE_PORT[_NAME]`, `X_PORT=tcp://…`, `X_PORT_9092_TCP[_…]`.
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
