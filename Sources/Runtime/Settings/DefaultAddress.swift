import Foundation

/// Advice for a service that does not answer at its default address because no variable is set.
struct DefaultAddress {
    /// Such as "REDIS_URL is not set".
    let finding: String
    /// The setting to change, as the end of a sentence.
    let fix: String

    /// `folder`: the working directory, which may be inside a checkout with a local stack.
    func advice(in folder: URL) -> String {
        let own = "\(finding), so this was the default address: \(fix)."
        return ([own] + (LocalCheckout(around: folder).map { [$0.advice] } ?? [])).joined(separator: " ")
    }
}

extension DefaultAddress {
    /// `service`: the service's name for users, such as "database".
    init(_ setting: SettingDefinition, of service: String) {
        self.init(
            finding: "\(setting.key) is not set",
            fix: "set it to the address of your \(service) (\(setting.kind.allowed))")
    }
}
