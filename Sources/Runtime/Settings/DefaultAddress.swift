import Foundation

/// What to do where a service does not answer, and no variable says where it is.
struct DefaultAddress {
    /// Such as "REDIS_URL is not set".
    let finding: String
    /// What to set, as the end of a sentence.
    let fix: String

    init(finding: String, fix: String) {
        self.finding = finding
        self.fix = fix
    }

    /// Of a service whose address is in one variable; `service`: what the user calls it, such as "database".
    init(_ setting: SettingDefinition, of service: String) {
        self.init(
            finding: "\(setting.key) is not set",
            fix: "set it to the address of your \(service) (\(setting.kind.allowed))")
    }

    /// `folder`: where the program runs, which may be inside a checkout with a local stack.
    func advice(in folder: URL) -> String {
        let own = "\(finding), so this was the default address: \(fix)."
        return ([own] + (LocalCheckout(around: folder).map { [$0.advice] } ?? [])).joined(separator: " ")
    }
}
