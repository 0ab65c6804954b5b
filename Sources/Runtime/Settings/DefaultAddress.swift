import Foundation

/// Advice for users whose service does not answer at the default address.
enum DefaultAddress {
    /// Returns advice of one or more sentences.
    ///
    /// `finding`: why the default applies, such as "REDIS_URL is not set". `fix`: the end of a sentence about the
    /// setting to change. `folder`: the working directory, which may be inside a checkout with a local stack.
    static func advice(finding: String, fix: String, in folder: URL) -> String {
        let own = "\(finding), so this was the default address: \(fix)."
        return ([own] + (LocalCheckout(around: folder).map { [$0.advice] } ?? [])).joined(separator: " ")
    }

    /// Returns the advice for an address that is not set; `service` is a noun for users, such as "database".
    static func advice(_ setting: SettingDefinition, of service: String, in folder: URL) -> String {
        advice(
            finding: "\(setting.key) is not set",
            fix: "set it to the address of your \(service) (\(setting.kind.allowed))", in: folder)
    }
}

/// Checkout of this project around the working directory.
struct LocalCheckout {
    private let root: URL

    /// Finds the nearest of `folder` and its parents that has a local stack or its scripts; `nil` without one.
    init?(around folder: URL) {
        var candidate = folder.standardizedFileURL
        while !Self.has(candidate, Self.environment), !Self.has(candidate, Self.stack) {
            let parent = candidate.deletingLastPathComponent().standardizedFileURL
            guard parent.path != candidate.path, candidate.path != "/" else { return nil }
            candidate = parent
        }
        root = candidate
    }

    private static let environment = ".local/run/env"
    private static let stack = "deploy/local/stack"
    private static let runner = "deploy/sl"

    /// Instructions to use the running stack, or to start one.
    var advice: String {
        guard Self.has(root, Self.environment) else {
            return "`\(path(Self.stack)) start` starts a local one, and `\(path(Self.runner))` runs sightline with its "
                + "address."
        }
        let load = "`. \(path(Self.environment))` loads its addresses into a shell"
        guard Self.has(root, Self.runner) else { return "A local stack exists: \(load)." }
        return "A local stack exists: `\(path(Self.runner))` runs sightline with its addresses, and \(load)."
    }

    private func path(_ file: String) -> String { root.appendingPathComponent(file).path }

    private static func has(_ folder: URL, _ file: String) -> Bool {
        FileManager.default.isReadableFile(atPath: folder.appendingPathComponent(file).path)
    }
}
